import type { WorkersPlan } from "../contract/workers-plan.ts";
import { HOUR_MS } from "../lib/durations.ts";
import type { BilledUnits } from "./bill.ts";

/**
 * The Workers Free plan: what it gives, and what an installation takes that has to live on it. docs/free-plan.md names the
 * page of each limit and the day on which it was read; a test compares the two.
 */

/** Of an account, from midnight to midnight UTC; what is above fails. */
export const FREE_PER_DAY = {
  workerRequests: 100_000,
  queueOperations: 10_000,
  d1RowsRead: 5_000_000,
  d1RowsWritten: 100_000,
  objectRequests: 100_000,
  objectRowsWritten: 100_000,
  /** GB-seconds. */
  objectDuration: 13_000,
  kvReads: 100_000,
  kvWrites: 1_000,
} as const satisfies BilledUnits;
export type FreeUnit = keyof typeof FREE_PER_DAY;
export const FREE_UNITS = Object.keys(FREE_PER_DAY) as FreeUnit[];

/** Of one invocation: a request, a tick of the clock, a batch of messages. */
export const FREE_PER_INVOCATION = {
  cpuMs: 10,
  /** Requests to the open net, redirects and lookups of names included. */
  externalRequests: 50,
  /** Requests to D1, KV, objects and queues. */
  internalRequests: 1_000,
  /** Of D1. Whether a batch is one is not documented, so each of its statements counts. */
  queries: 50,
} as const;

export const FREE_PER_ACCOUNT = {
  cronTriggers: 5,
  workers: 100,
  databases: 10,
  /** Of each database. */
  databaseBytes: 500_000_000,
} as const;

export const FREE_PER_WORKER = {
  variables: 64,
  /** Compressed. Newer pages allow 64 MiB on both plans; the smaller one is certain. */
  bytes: 3_000_000,
  assetFiles: 20_000,
} as const;

/** What fits into a day of the free plan: its checks take half of the operations of queues, the scarcest resource. */
export const FREE_FLEET = {
  /** Of all types. */
  monitors: 50,
  /** Fifty every five minutes, or ten every minute. */
  checksPerMinute: 10,
  /** That are expected; each is a request, a call of an object and two of its rows. */
  heartbeatsPerMinute: 10,
} as const;

const INTERVAL_MIN_S = 60;
/** Monitors of one interval share messages; were every interval allowed, each might need messages of its own. */
const INTERVAL_STEP_S = 300;
export const FREE_INTERVAL_DEFAULT_S = INTERVAL_STEP_S;

/** What all monitors of an installation ask for. */
export interface FleetLoad {
  monitors: number;
  checks_per_minute: number;
  heartbeats_per_minute: number;
}

/** What makes a check more than an invocation has. */
export interface CheckCosts {
  /** Whether it computes a TLS handshake of its own. */
  needs_tls: boolean;
  has_steps: boolean;
}

/** A monitor that is to be. */
export interface WantedMonitor extends CheckCosts {
  /** Seconds. */
  interval: number;
  /** Whether the service checks it itself, has its heartbeats reported, or neither. */
  load: "check" | "heartbeat" | "none";
}

/** Why an invocation of the free plan cannot make a check, as a sentence. */
export function findCostlyCheck({ needs_tls, has_steps }: CheckCosts): string | null {
  if (needs_tls) {
    return "this check computes a TLS handshake of its own, which exceeds the 10 ms of CPU of the Workers Free plan: let an agent run it, or deploy with --plan paid";
  }
  if (has_steps) {
    return "steps exceed the 50 requests of an invocation on the Workers Free plan: let an agent run the monitor, or deploy with --plan paid";
  }
  return null;
}

/** The first limit of the free plan that a monitor beside those of `fleet` exceeds, as a sentence. */
export function findFreePlanViolation(wanted: WantedMonitor, fleet: FleetLoad): string | null {
  const { monitors, checksPerMinute, heartbeatsPerMinute } = FREE_FLEET;
  const { interval, load } = wanted;
  const rate = load === "none" ? 0 : 60 / interval;
  const costly = load === "check" ? findCostlyCheck(wanted) : null;
  if (costly !== null) return costly;
  if (load === "check" && interval !== INTERVAL_MIN_S && interval % INTERVAL_STEP_S !== 0) {
    return `interval must be ${INTERVAL_MIN_S} or a multiple of ${INTERVAL_STEP_S} seconds on the Workers Free plan`;
  }
  if (fleet.monitors + 1 > monitors) return `the Workers Free plan has room for ${monitors} monitors`;
  if (load === "check" && exceeds(fleet.checks_per_minute + rate, checksPerMinute)) {
    return `the Workers Free plan has room for ${checksPerMinute} checks a minute, ${monitors} monitors every 5 minutes or ${checksPerMinute} every minute: choose a longer interval`;
  }
  if (load === "heartbeat" && exceeds(fleet.heartbeats_per_minute + rate, heartbeatsPerMinute)) {
    return `the Workers Free plan has room for ${heartbeatsPerMinute} heartbeats a minute: choose a longer expected_interval`;
  }
  return null;
}

/** Fifty fifths are a little more than ten in floating point. */
const exceeds = (sum: number, max: number) => sum > max + 1e-6;

/** How many monitors share what; the reason of each number of the paid plan stands where it is used. */
export interface CheckSizes {
  /** Of a shard. */
  shard: number;
  /** Of a message, where a shard holds more. */
  message: number;
  /** Of a group of targets that hang. */
  slow: number;
}

/**
 * On the free plan ten: a check takes up to four requests, both kinds of addresses of its name, its own and one redirect or
 * second attempt, and the canaries take six; and ten checks take about the CPU of an invocation.
 */
export const CHECK_SIZES: Record<WorkersPlan, CheckSizes> = {
  paid: { shard: 60, message: 75, slow: 30 },
  free: { shard: 10, message: 11, slow: 10 },
};

/** Each queue is sent a marker as often. On the free plan a marker a minute and queue would take three times its operations. */
export const MARKER_EVERY_MS: Record<WorkersPlan, number> = { paid: 0, free: HOUR_MS };

/** A marker may be lost with one tick. */
export function markerLateAfterMs(plan: WorkersPlan, lateAfterMs: number): number {
  return lateAfterMs + 2 * MARKER_EVERY_MS[plan];
}

/** Bytes that the database may have. */
export const DATABASE_BYTES_MAX: Record<WorkersPlan, number> = {
  /** https://developers.cloudflare.com/d1/platform/limits/ */
  paid: 10_000_000_000,
  free: FREE_PER_ACCOUNT.databaseBytes,
};
