import { z } from "zod";
import type { GameMetrics, GameMonitor, StoredGameSample } from "../../contract/game-server.ts";
import { OPTION_FIELDS } from "../../contract/monitor.ts";
import { presentPushed, presentSeries, presentTimes } from "../push/present.ts";
import type { KeptSample, PushMonitor, readMetrics } from "../push/service.ts";

const Options = z.object({
  game_type: OPTION_FIELDS.game_type,
  query_method: OPTION_FIELDS.query_method,
  query_port: OPTION_FIELDS.query_port,
});

export function presentGameMonitor(monitor: PushMonitor): z.infer<typeof GameMonitor> {
  const { game_type, query_method, query_port } = Options.parse(monitor.record.options);
  return {
    ...presentPushed(monitor),
    type: "game_server",
    target: monitor.record.target,
    game_type: game_type ?? "custom",
    query_method: query_method ?? "query",
    query_port: query_port ?? null,
    last_push: monitor.last && presentSample(monitor.last),
  };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample(kept: KeptSample): z.infer<typeof StoredGameSample> {
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
