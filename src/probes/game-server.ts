import { z } from "zod";
import { OPTION_FIELDS } from "../contract/monitor.ts";
import type { GameType } from "../contract/monitor-values.ts";

export const gameServerOptions = z.object({
  game_type: OPTION_FIELDS.game_type.transform((value) => value ?? "custom"),
  query_method: OPTION_FIELDS.query_method.transform((value) => value ?? "query"),
  query_port: OPTION_FIELDS.query_port.transform((value) => value ?? null),
  degraded_timeout_seconds: OPTION_FIELDS.degraded_timeout_seconds.transform((value) => value ?? null),
});

/** Games that answer queries over TCP or HTTP; the others speak UDP, which the edge cannot send. */
const STREAM_GAMES: readonly GameType[] = ["fivem", "minecraft"];

export function gameServerRuns({ game_type, query_method }: z.infer<typeof gameServerOptions>) {
  if (query_method === "push") return "push";
  return query_method === "query" && !STREAM_GAMES.includes(game_type) ? "agent" : "edge";
}
