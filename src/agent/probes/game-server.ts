import type { GameType } from "../../contract/monitor-values.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { gameServerProbe } from "../../probes/game-server.ts";
import { playersOnline } from "../../probes/game-server-rest.ts";
import { checkWith, untilAborted, type Verdict } from "./verdict.ts";

/** What the library calls games that are queried over UDP; any other game that speaks Valve's protocol is `custom`. */
const UDP_GAMES: Partial<Record<GameType, string>> = {
  rust: "rust",
  cs2: "counterstrike2",
  ark: "ase",
  valheim: "valheim",
  custom: "protocol-valve",
};
const TEXT_MAX = 200;
const NO_PORT = 1;

/** Queries over UDP, which the edge cannot send; everything else as at the edge. */
export const agentGameServerProbe: typeof gameServerProbe = {
  ...gameServerProbe,
  check(target, options, io, signal, context) {
    const type = options.query_method === "query" ? UDP_GAMES[options.game_type] : undefined;
    if (!type) return gameServerProbe.check(target, options, io, signal, context);
    return checkWith(io, signal, async () => {
      const place = gameServerProbe.destination(target, options);
      if (!place || place instanceof URL || place.port === NO_PORT) {
        throw new IoFault("unsupported", "target must be a host with the port that answers queries");
      }
      return query(type, place, signal);
    });
  },
};

async function query(
  type: string,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Verdict> {
  // Loaded with the first check of its type: it takes more memory than the rest of the agent.
  const { GameDig } = await import("gamedig");
  const asked = GameDig.query({
    type,
    host: host.replace(/^\[|\]$/g, ""),
    port,
    givenPortOnly: true,
    maxRetries: 1,
    socketTimeout: 3000,
    attemptTimeout: 30_000,
  });
  // It ends by itself a little after the signal.
  asked.catch(() => {});
  const state = await untilAborted(asked, signal, () => {}).catch((error: unknown) => {
    throw signal.aborted ? error : new IoFault("connect", "the server does not answer queries on this port");
  });
  const online = state.numplayers ?? state.players.length;
  const max = state.maxplayers || null;
  const details = {
    players: online,
    max_players: max,
    name: state.name.slice(0, TEXT_MAX),
    map: state.map?.slice(0, TEXT_MAX) ?? null,
  };
  return { message: playersOnline(online, max), latency_ms: state.ping, details };
}
