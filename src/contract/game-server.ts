import { z } from "zod";
import { CONFIG_FIELDS, METRIC_SERIES_FIELDS, MetricsMonitorFields, STORED_SAMPLE_FIELDS } from "./api-monitoring.ts";
import { InstantInput } from "./common.ts";
import { GAME_TYPES, QUERY_METHODS } from "./monitor-values.ts";
import { AnyMetrics, oneOrMore } from "./push.ts";

const PLAYERS_MAX = 1_000_000;
const RESOURCES_MAX = 500;
const word = z.string().trim().max(200);

const GameFields = {
  player_count: z.int().min(0).max(PLAYERS_MAX).nullish(),
  max_players: z.int().min(0).max(PLAYERS_MAX).nullish(),
  fps: z.number().min(0).max(100_000).nullish(),
  map_name: word.nullish(),
  server_name: word.nullish(),
  resources: z
    .array(z.object({ name: word, state: word }))
    .max(RESOURCES_MAX)
    .nullish(),
};

export const GameSample = z
  .object({
    ...GameFields,
    custom_metrics: AnyMetrics.nullish().meta({
      description: "at most 50 with any keys, values of at most 1 kB of JSON",
    }),
    timestamp: InstantInput.nullish().meta({
      description: "within 24 hours; older samples than the newest do not change the status",
    }),
  })
  .meta({ id: "GameSample" });
export type GameSample = z.infer<typeof GameSample>;
export const GamePush = oneOrMore(GameSample);

/** The fields of a game server monitor beside those of every monitor that metrics are pushed to. */
export const GAME_SERVER_FIELDS = {
  game_type: z
    .enum(GAME_TYPES)
    .nullish()
    .transform((value) => value ?? "custom"),
  query_method: z
    .enum(QUERY_METHODS)
    .nullish()
    .transform((value) => value ?? "query"),
  query_port: z
    .int()
    .min(1)
    .max(65_535)
    .nullish()
    .transform((value) => value ?? null),
  join_url: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:https|steam|fivem|minecraft):\/\/[^\s"<>]+$/i, "must be a link of https, steam, fivem or minecraft")
    .nullish()
    .meta({ description: "by which players join; public pages show it" })
    .transform((value) => value ?? null),
};

export const GameConfig = z
  .object({
    ...CONFIG_FIELDS,
    game_type: GAME_SERVER_FIELDS.game_type.in,
    query_method: GAME_SERVER_FIELDS.query_method.in,
    query_port: GAME_SERVER_FIELDS.query_port.in,
    join_url: GAME_SERVER_FIELDS.join_url.in,
  })
  .meta({ id: "GameServerConfig" });

export const StoredGameSample = z
  .object({ ...STORED_SAMPLE_FIELDS, ...GameFields, custom_metrics: z.record(z.string(), z.unknown()) })
  .meta({ id: "StoredGameSample" });

export const GameMonitor = z
  .object({
    ...MetricsMonitorFields,
    type: z.literal("game_server"),
    target: z.string().nullable(),
    game_type: z.enum(GAME_TYPES),
    query_method: z.enum(QUERY_METHODS),
    query_port: z.int().nullable(),
    join_url: z.string().nullable(),
    last_push: StoredGameSample.nullable(),
  })
  .meta({ id: "GameMonitor" });

export const GameMetrics = z
  .object({ ...METRIC_SERIES_FIELDS, recent: z.array(StoredGameSample).meta({ description: "newest push first" }) })
  .meta({ id: "GameMetrics" });

/** A program that runs beside the server and pushes for it. */
export const SIDECAR_RUNTIMES = ["node", "bash"] as const;
/** Games with a plug-in of their own; `custom` is the sidecar for all others. */
export const PLUGIN_GAMES = ["fivem", "minecraft", "rust", "custom"] as const;
export const PluginQuery = z.object({
  game: z
    .enum(PLUGIN_GAMES)
    .optional()
    .meta({ description: "an archive for this game; default: that of the monitor, `custom` is the sidecar" }),
  runtime: z.enum(SIDECAR_RUNTIMES).optional().meta({ description: "the sidecar alone, as one file; wins over game" }),
});
