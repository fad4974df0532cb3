import type { NetIo } from "../net/port.ts";
import type { Registration } from "./domain-registration.ts";

/** Whois (RFC 3912) has no format: dates are found by the words that registries put before them. */

export const WHOIS_ROOT = "whois.iana.org";
const PORT = 43;
const ANSWER_MAX = 64 * 1024;

const REFERRAL = /^(?:whois|refer):\s*([a-z0-9.-]+)\s*$/im;
const EXPIRY =
  /^[ \t]*(?:registry expiry date|registrar registration expiration date|expir(?:y|ation|es|e)(?:[ -](?:date|on|at))?|paid-till|renewal date|valid until)[ \t.]*:[ \t]*(\S.*)$/im;
const FREE =
  /^\s*%*\s*(?:no match|not found|no data found|no entries found|domain not found|status:\s*(?:free|available))/im;

/** Asks the server that the root of whois names for the zone. */
export async function queryWhois(io: NetIo, name: string, signal: AbortSignal): Promise<Registration> {
  const startedAt = io.now();
  const zone = name.slice(name.lastIndexOf(".") + 1);
  const server = REFERRAL.exec(await query(io, WHOIS_ROOT, zone, signal))?.[1];
  if (!server) return { kind: "unknown", reason: "no whois server" };
  const answer = await query(io, server, name, signal);
  const latency_ms = io.now() - startedAt;
  const expires_at = parseDate(EXPIRY.exec(answer)?.[1] ?? "");
  if (expires_at !== null) return { kind: "registered", expires_at, registrar: null, states: [], latency_ms };
  return FREE.test(answer) ? { kind: "free", latency_ms } : { kind: "unknown", reason: "whois tells no date" };
}

async function query(io: NetIo, host: string, question: string, signal: AbortSignal): Promise<string> {
  const socket = await io.connect({ host, port: PORT, tls: "off", signal });
  try {
    await socket.write(new TextEncoder().encode(`${question}\r\n`));
    const decoder = new TextDecoder();
    let answer = "";
    while (answer.length < ANSWER_MAX) {
      const chunk = await socket.read();
      if (!chunk) break;
      answer += decoder.decode(chunk, { stream: true });
    }
    return answer;
  } finally {
    socket.close();
  }
}

/** Registries write 2027-01-31T00:00:00Z, 2027.01.31, 20270131, 31.01.2027, 31-Jan-2027 and the like. */
export function parseDate(text: string): number | null {
  const trimmed = text.trim();
  const [, year, month, day] = /^(\d{4})[./-]?(\d\d)[./-]?(\d\d)(?!\d)(?!T)/.exec(trimmed) ?? reversed(trimmed) ?? [];
  const instant = Date.parse(year ? `${year}-${month}-${day}T00:00:00Z` : trimmed);
  return Number.isNaN(instant) ? null : instant;
}

function reversed(text: string): string[] | null {
  const match = /^(\d\d)[./](\d\d)[./](\d{4})\b/.exec(text);
  return match && ["", match[3] ?? "", match[2] ?? "", match[1] ?? ""];
}
