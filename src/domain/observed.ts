import type { Observed } from "../contract/monitor-object.ts";
import type { Observation, Phases } from "../contract/observation.ts";
import { MINUTE_MS } from "../lib/durations.ts";

/** What one location saw, beside what it saw when all was well. */
export interface Comparison<Seen extends Observed = Observed> {
  location: string;
  good: Seen | null;
  failure: Seen;
  recovery: Seen | null;
}

/** What each location saw of an outage, in the dashboard: they fail at slightly different times. */
export function evidencePath(monitorId: string, startedAt: number): string {
  return `/app/monitors/${monitorId}/evidence?since=${startedAt - MINUTE_MS}`;
}

/** For each location that failed: its first failure since then, the last good one before and the first good one after. */
export function compareObserved<Seen extends Observed>(rows: readonly Seen[], since: number): Comparison<Seen>[] {
  const byLocation = Map.groupBy(rows, ({ location }) => location);
  return [...byLocation].flatMap(([location, unordered]) => {
    const seen = unordered.toSorted((a, b) => a.checked_at - b.checked_at);
    const failure = seen.find(({ is_failure, checked_at }) => is_failure && checked_at >= since);
    if (!failure) return [];
    const isGood = ({ is_failure }: Seen) => !is_failure;
    const good = seen.findLast((each) => isGood(each) && each.checked_at < failure.checked_at) ?? null;
    const recovery = seen.find((each) => isGood(each) && each.checked_at > failure.checked_at) ?? null;
    return [{ location, good, failure, recovery }];
  });
}

export const OBSERVED_PARTS = {
  lookup: "Name",
  connection: "Connection",
  tls: "TLS",
  chain: "Certificates",
  request: "Request",
  response: "Answer",
  body: "Body",
  path: "Path",
} as const;
export type ObservedPart = keyof typeof OBSERVED_PARTS;

/** `same` is what is compared: without what differs between any two checks. */
export interface Line {
  text: string;
  same: string;
}

/** Headers that two good answers differ in, too. */
const PASSING = new Set(["date", "age", "expires", "last-modified", "etag", "cf-ray", "x-request-id", "set-cookie"]);

/** A part in lines; none where it was not seen. */
export function linesOf(seen: Observation, part: ObservedPart): Line[] {
  switch (part) {
    case "lookup":
      return lookupLines(seen);
    case "connection": {
      const { connection } = seen;
      if (!connection) return [];
      const { address, port, latency_ms } = connection;
      const place = `${address ?? "an address that is not known"}, port ${port}`;
      return [{ text: `${place}${took(latency_ms)}`, same: place }];
    }
    case "tls": {
      const { tls } = seen;
      if (!tls) return [];
      return [
        ...(tls.refusal === null ? [] : [tls.refusal]),
        tls.version ?? "a version that is not known",
        ...(tls.names === "" ? [] : [`for ${tls.names}`]),
      ].map(plain);
    }
    case "chain":
      return (seen.tls?.chain ?? []).map(({ subject, issuer, expires_at }) =>
        plain(`${subject}, by ${issuer}, until ${expires_at.slice(0, 10)}`),
      );
    case "request":
    case "response":
      return headLines(seen[part]);
    case "body":
      return (seen.body ?? "")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(plain);
    case "path":
      return (seen.path?.hops ?? []).map(({ ttl, address, latency_ms }) => ({
        text: `${ttl}. ${address ?? "no answer"}${took(latency_ms)}`,
        same: `${ttl} ${address ?? ""}`,
      }));
  }
}

function lookupLines({ lookup }: Observation): Line[] {
  if (!lookup) return [];
  const { name, answers, server, latency_ms } = lookup;
  const asked = `${name}${server === null ? "" : `, asked ${server}`}`;
  // A name with several addresses gives them in any order.
  const found = answers.length === 0 ? ["no address"] : answers.toSorted();
  return [{ text: `${asked}${took(latency_ms)}`, same: name }, ...found.map(plain)];
}

function headLines(head: Observation["request"]): Line[] {
  if (!head) return [];
  const headers = head.headers.map(([name, value]) => ({
    text: `${name}: ${value}`,
    same: PASSING.has(name.toLowerCase()) ? name : `${name}: ${value}`,
  }));
  return [plain(head.line), ...headers];
}

const plain = (text: string): Line => ({ text, same: text });
const took = (ms: number | null) => (ms === null ? "" : `, ${ms} ms`);

/** The lines with whether the other one lacks them; of what the other did not see at all, none is marked. */
export function markLines(lines: readonly Line[], other: readonly Line[] | null): (Line & { differs: boolean })[] {
  const known = new Set(other?.map(({ same }) => same));
  const isComparable = other !== null && other.length > 0;
  return lines.map((line) => ({ ...line, differs: isComparable && !known.has(line.same) }));
}

export const PHASE_NAMES: readonly [phase: keyof Phases, name: string][] = [
  ["lookup_ms", "name"],
  ["connect_ms", "connection"],
  ["tls_ms", "TLS"],
  ["first_byte_ms", "first byte"],
  ["undivided_ms", "until the answer"],
  ["transfer_ms", "transfer"],
];

export interface Phase {
  name: string;
  ms: number;
}

/** Those that were measured, in the order in which they pass. */
export function phasesOf({ phases }: Observation): Phase[] {
  if (!phases) return [];
  return PHASE_NAMES.flatMap(([phase, name]) => {
    const ms = phases[phase];
    return ms === null ? [] : [{ name, ms }];
  });
}
