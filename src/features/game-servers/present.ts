import { z } from "zod";
import {
  GAME_SERVER_FIELDS,
  type GameMetrics,
  type GameMonitor,
  type StoredGameSample,
} from "../../contract/game-server.ts";
import { presentPushed, presentSeries, presentTimes } from "../push/present.ts";
import type { PushMonitor, readMetrics, StoredSample } from "../push/service.ts";

const Options = z.object(GAME_SERVER_FIELDS);

export function presentGameMonitor(monitor: PushMonitor): z.infer<typeof GameMonitor> {
  const { game_type, query_method, query_port, join_url } = Options.parse(monitor.record.options);
  return {
    ...presentPushed(monitor),
    type: "game_server",
    target: monitor.record.target,
    game_type,
    query_method,
    query_port,
    join_url,
    last_push: monitor.last && presentSample(monitor.last),
  };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample(kept: StoredSample): z.infer<typeof StoredGameSample> {
  const { fields, metrics } = kept.sample;
  const { player_count, max_players, fps, map_name, server_name, resources } = fields as z.infer<
    typeof StoredGameSample
  >;
  const game = { player_count, max_players, fps, map_name, server_name, resources };
  return { ...presentTimes(kept), ...game, custom_metrics: metrics };
}

export function presentMetrics(history: Awaited<ReturnType<typeof readMetrics>>): z.infer<typeof GameMetrics> {
  return { ...presentSeries(history), recent: history.recent.map(presentSample) };
}
