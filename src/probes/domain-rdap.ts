import { z } from "zod";
import { DAY_MS } from "../lib/durations.ts";
import { IoFault } from "../lib/io-fault.ts";
import type { NetIo } from "../net/port.ts";
import type { Registration } from "./domain-registration.ts";
import { getJson } from "./http-json.ts";

/** Which server knows a zone (RFC 9224). */
export const RDAP_DIRECTORY_URL = "https://data.iana.org/rdap/dns.json";
const KEPT_MS = DAY_MS;
const STATES_MAX = 20;
const TEXT_MAX = 200;

const Directory = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });
type FindServer = (io: NetIo, name: string, signal: AbortSignal) => Promise<URL | null>;

/** Finds the server of a name's zone in the directory, which is read at most once a day. */
export function rdapDirectory(): FindServer {
  let kept: { servers: Map<string, URL>; until: number } | null = null;
  return async (io, name, signal) => {
    if (!kept || kept.until <= io.now()) {
      kept = { servers: await readDirectory(io, signal), until: io.now() + KEPT_MS };
    }
    return kept.servers.get(name.slice(name.lastIndexOf(".") + 1)) ?? null;
  };
}

async function readDirectory(io: NetIo, signal: AbortSignal): Promise<Map<string, URL>> {
  const { value } = await getJson(io, new URL(RDAP_DIRECTORY_URL), signal);
  const directory = Directory.safeParse(value);
  if (!directory.success) throw new IoFault("unavailable", "the directory of RDAP servers cannot be read");
  const servers = new Map<string, URL>();
  for (const [zones, addresses] of directory.data.services) {
    const address = addresses.find((text) => text.startsWith("https://") && URL.canParse(text));
    if (!address) continue;
    for (const zone of zones) servers.set(zone.toLowerCase(), new URL(address.endsWith("/") ? address : `${address}/`));
  }
  return servers;
}

/** The members of an answer (RFC 9083) that matter here; other oddities do not. */
const Answer = z.object({
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).catch([]),
  status: z.array(z.string()).catch([]),
  entities: z.array(z.object({ roles: z.array(z.string()).catch([]), vcardArray: z.unknown() })).catch([]),
});

export async function queryRdap(io: NetIo, server: URL, name: string, signal: AbortSignal): Promise<Registration> {
  const { status, value, latency_ms } = await getJson(io, new URL(`domain/${name}`, server), signal);
  if (status === 404) return { kind: "free", latency_ms };
  if (status !== 200) return { kind: "unknown", reason: `RDAP answered HTTP ${status}` };
  const answer = Answer.safeParse(value);
  const expiry = answer.data?.events.find((event) => event.eventAction === "expiration")?.eventDate;
  const expires_at = Date.parse(expiry ?? "");
  if (!answer.success || Number.isNaN(expires_at)) return { kind: "unknown", reason: "RDAP tells no date" };
  const registrar = answer.data.entities.find((entity) => entity.roles.includes("registrar"));
  const states = answer.data.status.slice(0, STATES_MAX).map((state) => state.toLowerCase().slice(0, TEXT_MAX));
  return { kind: "registered", expires_at, registrar: nameIn(registrar?.vcardArray), states, latency_ms };
}

/** jCard: `["vcard", [["fn", {}, "text", "The name"], …]]` (RFC 7095). */
const JCard = z.tuple([z.literal("vcard"), z.array(z.array(z.unknown()))]);

function nameIn(vcard: unknown): string | null {
  const card = JCard.safeParse(vcard);
  const name = card.data?.[1].find(([property]) => property === "fn")?.[3];
  return typeof name === "string" ? name.slice(0, TEXT_MAX) : null;
}
