import { z } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import { GAME_SERVER_FIELDS } from "../contract/game-server.ts";
import type { GameType } from "../contract/monitor-values.ts";
import { METRIC_FIELDS } from "../contract/push.ts";
import { assertNever } from "../lib/assert-never.ts";
import type { Parsed } from "../lib/parse-result.ts";
import type { NetIo } from "../net/port.ts";
import { queryMinecraft } from "./game-server-minecraft.ts";
import { queryFivem, queryRestApi } from "./game-server-rest.ts";
import { metricsRules } from "./metrics-rules.ts";
import type { CheckContext, MonitorTypeEntry, Probe, ResultSource } from "./port.ts";
import { PORT_ALONE, parseHostPort, tcpProbe } from "./tcp.ts";

const options = z.object({ ...GAME_SERVER_FIELDS, ...METRIC_FIELDS });
type GameCheck = z.infer<typeof options>;

interface GameTarget {
  host: string;
  /** Null where the game's own port is meant. */
  port: number | null;
  /** Where the target is a web address. */
  url: URL | null;
}

/** Default ports of the games; a custom game has none. */
const PORTS: Record<GameType, number | null> = {
  fivem: 30120,
  minecraft: 25565,
  rust: 28015,
  cs2: 27015,
  ark: 27015,
  valheim: 2457,
  custom: null,
};

/** For what looks at the host alone. */
const ANY_PORT = 1;

/** Games that answer queries over TCP or HTTP; the others speak UDP, which the edge cannot send. */
const STREAM_GAMES: readonly GameType[] = ["fivem", "minecraft"];

export const gameServerProbe: Probe<GameTarget, GameCheck> = {
  type: "game_server",
  needs: ["tcp", "http"],
  timeout_seconds: 10,
  options,
  parseTarget,
  destination: (target, options) => target.url ?? { host: target.host, port: portOf(target, options) ?? ANY_PORT },
  check,
};

export const gameServerType: MonitorTypeEntry<GameCheck> = {
  label: "Game server",
  source: "edge",
  sourceOf: gameServerSource,
  plan: "pro",
  is_beta: true,
  options,
  probe: gameServerProbe,
  push: {
    kind: "game_server",
    credential: "push_key",
    urls: (publicUrl) => ({ push: `${publicUrl}/api/uptime/v2/game-server/push` }),
    rules: (fields, monitor) => metricsRules("game_server", fields, monitor),
  },
};

function gameServerSource({ game_type, query_method }: GameCheck): ResultSource {
  if (query_method === "push") return "push";
  return query_method === "query" && !STREAM_GAMES.includes(game_type) ? "agent" : "edge";
}

/** Reads `host`, `host:port` and http or https addresses. */
function parseTarget(text: string): Parsed<GameTarget> {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) {
    if (/\s/.test(trimmed) || !URL.canParse(trimmed)) return { ok: false, reason: "must be a URL" };
    const url = new URL(trimmed);
    return { ok: true, value: { host: url.hostname, port: Number(url.port) || null, url } };
  }
  const parsed = parseHostPort(trimmed, "game", ANY_PORT);
  if (!parsed.ok) return { ok: false, reason: "must have the form host, host:port or https://host" };
  const { host, port } = parsed.value;
  return { ok: true, value: { host, port: /:\d+\/?$/.test(trimmed) ? port : null, url: null } };
}

function portOf(target: GameTarget, { query_port, game_type }: GameCheck): number | null {
  return query_port ?? target.port ?? PORTS[game_type];
}

async function check(
  target: GameTarget,
  options: GameCheck,
  io: NetIo,
  signal: AbortSignal,
  context: CheckContext,
): Promise<ProbeResult> {
  const { game_type, query_method } = options;
  const { host } = target;
  const port = portOf(target, options);
  switch (query_method) {
    case "push":
      return notOurs("the server pushes its own results");
    case "rest_api":
      if (game_type === "fivem") return queryFivem(apiAddress(target, options), io, signal);
      return queryRestApi(target.url ?? apiAddress(target, options), io, signal);
    case "tcp_connect":
      return port === null
        ? notOurs("target must name a port")
        : tcpProbe.check({ host, port }, PORT_ALONE, io, signal, context);
    case "query":
      if (game_type === "fivem") return queryFivem(apiAddress(target, options), io, signal);
      if (game_type === "minecraft" && port !== null) return queryMinecraft({ host, port }, io, signal);
      return notOurs(`${game_type} servers are queried over UDP, which only an agent can send`);
    default:
      return assertNever(query_method);
  }
}

/** The root of the server's web interface: an address is taken as it is, a host at the game's port in plain HTTP. */
function apiAddress(target: GameTarget, options: GameCheck): URL {
  const root = new URL("/", target.url ?? `http://${target.host}`);
  const port = target.url ? options.query_port : portOf(target, options);
  if (port !== null) root.port = String(port);
  return root;
}

function notOurs(message: string): ProbeResult {
  return { outcome: "error", latency_ms: null, message, details: {} };
}
