import type { ProbeResult } from "../contract/check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { isRecord } from "../lib/is-record.ts";
import { classifyError, resultOf } from "../net/faults.ts";
import type { NetIo } from "../net/port.ts";
import { getJson, type JsonAnswer } from "./http-json.ts";

const TEXT_MAX = 200;

/** An address of the user's own, which has to give JSON. */
export function queryRestApi(url: URL, io: NetIo, signal: AbortSignal): Promise<ProbeResult> {
  return evaluateWith(io, signal, async () => {
    const { latency_ms } = await getDocument(io, url, signal);
    return { latency_ms, message: "the server answers with JSON", details: {} };
  });
}

/** FiveM's web interface; `dynamic.json` is the server's word that it runs, the others only add to it. */
export function queryFivem(root: URL, io: NetIo, signal: AbortSignal): Promise<ProbeResult> {
  return evaluateWith(io, signal, async () => {
    const { value, latency_ms } = await getDocument(io, new URL("dynamic.json", root), signal);
    if (!isRecord(value)) throw new IoFault("protocol", "the answer is not that of a FiveM server");
    const optional = (path: string) => getDocument(io, new URL(path, root), signal).catch(() => null);
    const [info, players] = await Promise.all([optional("info.json"), optional("players.json")]);
    const online = toCount(value.clients) ?? (Array.isArray(players?.value) ? players.value.length : null);
    const max = toCount(value.sv_maxclients);
    const details = {
      players: online,
      max_players: max,
      map: textOf(value.mapname),
      version: isRecord(info?.value) ? textOf(info.value.server) : null,
      name: textOf(value.hostname),
    };
    return { latency_ms, message: playersOnline(online, max), details };
  });
}

export function playersOnline(online: number | null, max: number | null): string {
  if (online === null) return "the server answers";
  if (max !== null) return `${online} of ${max} players online`;
  return online === 1 ? "1 player online" : `${online} players online`;
}

/** Numbers come as such or as text. */
export function toCount(value: unknown): number | null {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null;
}

/** Without the game's colour codes; null where nothing is left. */
function textOf(value: unknown): string | null {
  const text = typeof value === "string" ? value.replaceAll(/\^\d/g, "").trim().slice(0, TEXT_MAX) : "";
  return text || null;
}

async function getDocument(io: NetIo, url: URL, signal: AbortSignal): Promise<JsonAnswer> {
  const answer = await getJson(io, url, signal);
  if (answer.status !== 200) throw new IoFault("status", `HTTP ${answer.status} instead of 200`);
  return answer;
}

async function evaluateWith(
  io: NetIo,
  signal: AbortSignal,
  query: () => Promise<Omit<ProbeResult, "outcome">>,
): Promise<ProbeResult> {
  const startedAt = io.now();
  try {
    return { outcome: "success", ...(await query()) };
  } catch (error) {
    return resultOf(classifyError(error, signal, io.now() - startedAt));
  }
}
