import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { chance } from "./chance.ts";
import { MONITORS, type PlannedMonitor } from "./company.ts";
import { STORIES, type Story } from "./stories.ts";

/** What 90 days looked like, as a function of the present alone. */
export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;
export const PAST_DAYS = 90;

export interface Trouble {
  status: "down" | "degraded";
  from: number;
  to: number;
  cause: string;
  story: Story | null;
}

/** When a story began. */
export function beginningOf({ days_ago, at }: Story, now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS - days_ago * DAY_MS + Date.parse(`1970-01-01T${at}:00Z`);
}

/** Of each monitor by its name: what was wrong with it, oldest first, nothing at the same time. */
export function troublesOf(now: number): Map<string, Trouble[]> {
  const own = new Map(MONITORS.map((monitor) => [monitor.name, ownTroubles(monitor, now)]));
  for (const { name, members } of MONITORS) {
    if (members.length > 0) own.set(name, combined(members.flatMap((member) => own.get(member) ?? [])));
  }
  return own;
}

function ownTroubles(monitor: PlannedMonitor, now: number): Trouble[] {
  const told = STORIES.filter(({ monitors }) => monitors.includes(monitor.name)).map((story): Trouble => {
    const from = beginningOf(story, now);
    return { status: story.status, from, to: from + story.minutes * MINUTE_MS, cause: story.cause, story };
  });
  const untold = Array.from({ length: monitor.outages }, (_, n): Trouble => {
    // Not on the last day: what is wrong now is decided by checks.
    const from = now - Math.floor(1.2 * DAY_MS + chance(`${monitor.name} begins`, n) * (PAST_DAYS - 3) * DAY_MS);
    const minutes = 2 + Math.floor(24 * chance(`${monitor.name} lasts`, n) ** 2);
    const isSlow = monitor.latency_ms > 80 && chance(`${monitor.name} is slow`, n) < 0.25;
    const cause = isSlow ? "answered slowly" : causeOf(monitor, n);
    return { status: isSlow ? "degraded" : "down", from, to: from + minutes * MINUTE_MS, cause, story: null };
  });
  const apart = untold.filter(
    ({ from, to }) => !told.some((each) => from < each.to + HOUR_MS && each.from < to + HOUR_MS),
  );
  return inOrder([...told, ...apart]);
}

/** A composite is as its worst member. */
function combined(troubles: Trouble[]): Trouble[] {
  return inOrder(troubles.map((trouble) => ({ ...trouble, story: null, cause: "1 of 2 members down" })));
}

/** Oldest first; of two that overlap, the earlier one. */
function inOrder(troubles: Trouble[]): Trouble[] {
  const sorted = troubles.toSorted((a, b) => a.from - b.from);
  return sorted.filter((trouble, n) => trouble.from > (sorted[n - 1]?.to ?? 0));
}

const CAUSES = {
  web: ["HTTP 503", "HTTP 502", "no answer within 10 s", "connection reset"],
  other: ["connection refused", "no answer within 10 s", "connection reset"],
  late: ["no heartbeat within its time"],
};

function causeOf({ name, type }: PlannedMonitor, n: number): string {
  const causes = type === "heartbeat" ? CAUSES.late : type === "https" ? CAUSES.web : CAUSES.other;
  return causes[Math.floor(chance(`${name} fails`, n) * causes.length)] ?? "";
}

export interface Stretch {
  status: MonitorStatus;
  from: number;
  to: number;
}

/** Without a gap from `from` to `to`. */
export function stretchesOf(troubles: readonly Trouble[], { from, to }: { from: number; to: number }): Stretch[] {
  const stretches: Stretch[] = [];
  let at = from;
  for (const trouble of troubles) {
    if (trouble.from <= at || trouble.to >= to) continue;
    stretches.push({ status: "up", from: at, to: trouble.from });
    stretches.push({ status: trouble.status, from: trouble.from, to: trouble.to });
    at = trouble.to;
  }
  return [...stretches, { status: "up", from: at, to }];
}

export interface Measured {
  status: "up" | "down" | "degraded";
  latency_ms: number | null;
  message: string;
}

/** What a check of it found, or finds. */
export function measure(monitor: PlannedMonitor, troubles: readonly Trouble[], at: number): Measured {
  const trouble = troubles.find(({ from, to }) => at >= from && at < to);
  if (trouble?.status === "down") return { status: "down", latency_ms: null, message: trouble.cause };
  const latency = latencyAt(monitor, at);
  if (!trouble) return { status: "up", latency_ms: latency, message: successOf(monitor) };
  return { status: "degraded", latency_ms: latency === null ? null : latency * 9 + 400, message: trouble.cause };
}

/** By day slower than by night, never twice the same, and now and then a slow one. */
export function latencyAt({ name, latency_ms }: PlannedMonitor, at: number): number | null {
  if (latency_ms === 0) return null;
  const hour = (at % DAY_MS) / HOUR_MS;
  const byDay = 1 + 0.28 * Math.sin(((hour - 9) / 24) * 2 * Math.PI);
  const day = 0.92 + 0.16 * chance(`${name} day`, Math.floor(at / DAY_MS));
  const noise = 0.86 + 0.28 * chance(name, Math.floor(at / MINUTE_MS));
  const isSlow = chance(`${name} slow`, Math.floor(at / MINUTE_MS)) < 0.012;
  return Math.max(1, Math.round(latency_ms * byDay * day * noise * (isSlow ? 2.6 : 1)));
}

const SUCCESSES: Partial<Record<PlannedMonitor["type"], string>> = {
  https: "HTTP 200",
  ssl: "the certificate is valid",
  domain: "the registration is valid",
  dns: "NOERROR",
  icmp: "5 of 5 packets",
  ping: "5 of 5 packets",
};

export function successOf({ type }: PlannedMonitor): string {
  return SUCCESSES[type] ?? "answered";
}
