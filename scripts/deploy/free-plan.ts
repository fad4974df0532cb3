import { type BilledUnit, type BilledUnits, computeUnitsPerCheck, PRICES } from "../../src/domain/bill.ts";
import { addUnits, type Fleet, UNITS_PER_MINUTE } from "./cost.ts";

/**
 * What the Workers Free plan gives an account a day, as of November 2026; what is above fails until midnight UTC:
 * https://developers.cloudflare.com/workers/platform/limits/, and `platform/pricing/` of /queues, /d1, /durable-objects and /kv.
 */
export const FREE_PER_DAY = {
  queueOperations: 10_000,
  workerRequests: 100_000,
  d1RowsRead: 5_000_000,
  d1RowsWritten: 100_000,
  objectRequests: 100_000,
  objectRowsWritten: 100_000,
  objectDuration: 13_000,
} as const satisfies BilledUnits;
type FreeUnit = keyof typeof FREE_PER_DAY;

const MINUTES_PER_DAY = 1_440;
const SECONDS_PER_DAY = 86_400;
const MEMBERS_PER_MESSAGE_MAX = 60;

/** What no number of monitors changes. */
const BEYOND_THE_DAY = [
  "An invocation has 10 ms of CPU: the hash of a password takes more than 100, and a TLS handshake of its own more than 10.",
  "An invocation has 50 requests and 50 queries: a message checks up to 60 monitors, a part of the minute takes up to 900 queries.",
];

export interface BudgetLine {
  unit: FreeUnit;
  used: number;
  given: number;
}

/** A day of healthy targets from one region, without heartbeats, alerts and people. */
export function computeDailyBudget({ monitors, interval }: Fleet): BudgetLine[] {
  const perCheck = computeUnitsPerCheck({ members_per_message: Math.min(monitors, MEMBERS_PER_MESSAGE_MAX) });
  const checks = (monitors * SECONDS_PER_DAY) / interval;
  const used = addUnits([perCheck, checks], [UNITS_PER_MINUTE, MINUTES_PER_DAY]);
  const units = Object.keys(FREE_PER_DAY) as FreeUnit[];
  return units.map((unit) => ({ unit, used: used[unit] ?? 0, given: FREE_PER_DAY[unit] }));
}

export function formatDailyBudget(fleet: Fleet): string {
  const count = (value: number) => Math.round(value).toLocaleString("en-US");
  const lines = computeDailyBudget(fleet).map(({ unit, used, given }) => {
    const verdict = used > given ? `too many, by ${count(used - given)}` : `${Math.round((100 * used) / given)} %`;
    return `  ${count(used).padStart(12)} of ${count(given).padStart(9)}  ${labelOf(unit).padEnd(22)} ${verdict}`;
  });
  return [
    `A day of ${fleet.monitors} monitors every ${fleet.interval} s on the Workers Free plan:`,
    ...lines,
    ...BEYOND_THE_DAY.map((reason) => `  ${reason}`),
    "The service needs the Workers Paid plan, from $5 a month; on a machine of your own it costs nothing (npm start).",
  ].join("\n");
}

const labelOf = (unit: BilledUnit) => PRICES[unit].label;
