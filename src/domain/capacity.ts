import type { CapacityLimitName, CountedUnits } from "../contract/capacity.ts";
import type { WorkersPlan } from "../contract/workers-plan.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import {
  type BilledUnits,
  computeBill,
  computeListPrice,
  MINUTES_PER_MONTH,
  OPERATIONS_PER_MESSAGE,
  UNITS_PER_CHECK,
} from "./bill.ts";
import { DATABASE_BYTES_MAX } from "./free-plan.ts";

/** What the Worker cannot measure, because its clock stands still while it computes. */
const CPU_MS_PER_REQUEST = 10;
/** Shorter stretches say nothing about a month. */
const COUNTED_MIN_MS = 5 * MINUTE_MS;

/** 250 consumers of a queue with six connections each, at 300 ms a check. */
const CHECKS_PER_SECOND_MAX = 5_000;
/** https://developers.cloudflare.com/queues/platform/limits/ */
const MESSAGES_PER_SECOND_MAX = 5_000;
/** Changes of status of one monitor in a month: an outage, and its end. */
export const CHANGES_PER_MONTH = 2;
/** What the database takes, indexes included: limits that tests hold it to. */
export const DATABASE_USE = {
  /** Its settings and a year of daily aggregates. */
  bytes_per_monitor: 8_000,
  /** With its event, for more than a year. */
  bytes_per_change: 2_300,
  /** Two, with the records of their attempts, for a month. */
  bytes_of_deliveries: 1_300,
  /** With its event and two deliveries; as many again when they are deleted. */
  rows_per_change: 46,
} as const;
/** After a year. */
export const BYTES_PER_MONITOR =
  DATABASE_USE.bytes_per_monitor +
  CHANGES_PER_MONTH * (12 * DATABASE_USE.bytes_per_change + DATABASE_USE.bytes_of_deliveries);

/** What an installation without monitors uses, and what a monitor adds that is checked once a minute from one region. */
const EXPECTED: Record<CapacityLimitName, { idle: number; per_monitor: number }> = {
  d1_bytes: { idle: 2_000_000, per_monitor: BYTES_PER_MONITOR },
  checks_per_second: { idle: 0, per_monitor: 1 / 60 },
  /** The minute's own parts and markers; a message holds at least 20 checks. */
  messages_per_second: { idle: 1, per_monitor: 1 / 1200 },
};

export interface Counted {
  units: CountedUnits;
  counted_from: number;
  d1_bytes: number;
  monitors: number;
  /** Of Cloudflare. */
  plan?: WorkersPlan;
}

interface Limit {
  name: CapacityLimitName;
  used: number;
  limit: number;
  share: number;
}

/** Where the counted day ends up: the bill of such a month, what is used of the platform's limits, what still fits. */
export function computeCapacity(counted: Counted, now: number) {
  const seconds = Math.max(now - counted.counted_from, COUNTED_MIN_MS) / SECOND_MS;
  const limits = computeLimits(counted, seconds);
  return { cost: computeCost(counted, seconds), limits, fit: countFitting(counted.monitors, limits) };
}

function computeCost({ units, d1_bytes }: Counted, seconds: number) {
  const billed = toBilled(units);
  const perMonth = (MINUTES_PER_MONTH * 60) / seconds;
  const month: BilledUnits = Object.fromEntries(Object.entries(billed).map(([unit, used]) => [unit, used * perMonth]));
  const perMillionChecks =
    units.checks === 0 ? computeListPrice(UNITS_PER_CHECK) * 1e6 : (computeListPrice(billed) / units.checks) * 1e6;
  return {
    month_usd: round(computeBill({ ...month, d1Bytes: d1_bytes }).usd, 2),
    per_million_checks_usd: round(perMillionChecks, 4),
  };
}

function toBilled(units: CountedUnits): BilledUnits {
  return {
    d1RowsRead: units.d1_rows_read,
    d1RowsWritten: units.d1_rows_written,
    objectRequests: units.object_requests,
    // A push, and a message of results, is one request and one row.
    objectRowsWritten: units.object_requests,
    queueOperations: units.messages * OPERATIONS_PER_MESSAGE,
    kvReads: units.kv_reads,
    kvWrites: units.kv_writes,
    workerRequests: units.requests,
    cpuMs: units.requests * CPU_MS_PER_REQUEST,
  };
}

function computeLimits({ units, d1_bytes, plan = "paid" }: Counted, seconds: number): Limit[] {
  const limitOf = (name: CapacityLimitName, used: number, limit: number): Limit => {
    return { name, used: round(used, 2), limit, share: round(used / limit, 6) };
  };
  return [
    limitOf("d1_bytes", d1_bytes, DATABASE_BYTES_MAX[plan]),
    limitOf("checks_per_second", units.checks / seconds, CHECKS_PER_SECOND_MAX),
    limitOf("messages_per_second", units.messages / seconds, MESSAGES_PER_SECOND_MAX),
  ];
}

/** The monitors for which the scarcest of the limits has room, at what a present one uses or more. */
function countFitting(monitors: number, limits: readonly Limit[]): number {
  const fitting = limits.map(({ name, used, limit }) => {
    const { idle, per_monitor } = EXPECTED[name];
    const measured = monitors === 0 ? 0 : (used - idle) / monitors;
    return Math.max(0, Math.floor((limit - used) / Math.max(per_monitor, measured)));
  });
  return Math.min(...fitting);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
