import { computeListPrice, MINUTES_PER_MONTH, UNITS_PER_CHECK } from "../src/domain/bill.ts";
import { BYTES_PER_MONITOR, CHANGES_PER_MONTH, DATABASE_USE } from "../src/domain/capacity.ts";

/**
 * A day of a fleet, from the units that tests hold the service to and the limits that Cloudflare publishes
 * (https://developers.cloudflare.com/d1/platform/limits/, https://developers.cloudflare.com/queues/platform/limits/):
 * what each shared part has to do in its busiest second.
 */
const INTERVAL_SECONDS = 60;
/** A check takes this long, of which the Worker waits for nearly all. */
const CHECK_SECONDS = 0.3;
const ROWS_PER_CHANGE = DATABASE_USE.rows_per_change;
/** Everything that is written is deleted later. */
const ROWS_IN_ALL = 2 * ROWS_PER_CHANGE;
/** The hour's history of each group moves from its prober object within this time. */
const AGGREGATE_SECONDS = 3_600;
/** Share of the fleet that one network fault takes down within a minute. */
const FAULT_SHARE = 0.02;

export interface Part {
  name: string;
  limit: number;
  unit: string;
  used: number;
}

/** One writer executes the statements of a database one after the other, each for a millisecond or less. */
const D1_ROWS_PER_SECOND = 1_000;

export function simulateDay(monitors: number): Part[] {
  const checksPerSecond = monitors / INTERVAL_SECONDS;
  const changesPerSecond = (monitors * CHANGES_PER_MONTH) / (MINUTES_PER_MONTH * 60);
  const written = checksPerSecond * UNITS_PER_CHECK.d1RowsWritten + changesPerSecond * ROWS_IN_ALL;
  const aggregated = monitors / 24 / AGGREGATE_SECONDS;
  const faulty = (monitors * FAULT_SHARE * ROWS_PER_CHANGE) / INTERVAL_SECONDS;
  return [
    { name: "database size", limit: 10e9, unit: "bytes", used: monitors * BYTES_PER_MONITOR },
    {
      name: "database writer, an ordinary second",
      limit: D1_ROWS_PER_SECOND,
      unit: "rows",
      used: written + aggregated,
    },
    {
      name: "database writer, 2 % of all targets failing within a minute",
      limit: D1_ROWS_PER_SECOND,
      unit: "rows",
      used: written + aggregated + faulty,
    },
    {
      name: "messages of a queue",
      limit: 5_000,
      unit: "a second",
      used: checksPerSecond * UNITS_PER_CHECK.objectRequests,
    },
    {
      name: "consumers of a queue, six connections each",
      limit: 250,
      unit: "at once",
      used: (checksPerSecond * CHECK_SECONDS) / 6,
    },
    { name: "planning the minute's groups", limit: 900, unit: "seconds", used: (monitors / 60 / 500) * 0.2 },
  ];
}

/** The largest fleet for which no part exceeds its limit. */
export function findCeiling(part: string): number {
  const [one] = simulateDay(1).filter(({ name }) => name === part);
  if (!one) throw new Error(`there is no part named ${part}`);
  return Math.floor(one.limit / one.used);
}

/** Of the history of a shard: what its object keeps for 90 days, at the limit of a test for each check. */
export const SHARD_BYTES = 60 * 90 * 1440 * 8;

/** What of a part a day has left over, with 2 % of all targets failing at noon and back ten minutes later. */
export interface FaultDay {
  databases: number;
  rowsWritten: number;
  messages: number;
  /** Rows that wait for the writers at worst, and for how many minutes any wait. */
  rowsWaitingMax: number;
  minutesWaiting: number;
  usd: number;
}

const MINUTES_PER_DAY = 1440;
const FAULT_AT = 720;
const RECOVERY_AT = 730;

/** Minute by minute, on as many databases as the fleet's bytes need. */
export function simulateFaultDay(monitors: number): FaultDay {
  const databases = Math.ceil(monitors / findCeiling("database size"));
  const checks = (monitors * 60) / INTERVAL_SECONDS;
  const steady =
    checks * UNITS_PER_CHECK.d1RowsWritten +
    (monitors * CHANGES_PER_MONTH * ROWS_IN_ALL) / MINUTES_PER_MONTH +
    monitors / MINUTES_PER_DAY;
  const day = { databases, rowsWritten: 0, messages: 0, rowsWaitingMax: 0, minutesWaiting: 0 };
  let waiting = 0;
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    const isEdge = minute === FAULT_AT || minute === RECOVERY_AT;
    const rows = steady + (isEdge ? monitors * FAULT_SHARE * ROWS_PER_CHANGE : 0);
    waiting = Math.max(0, waiting + rows - databases * D1_ROWS_PER_SECOND * 60);
    day.rowsWritten += rows;
    day.messages += checks * UNITS_PER_CHECK.objectRequests;
    day.rowsWaitingMax = Math.max(day.rowsWaitingMax, waiting);
    day.minutesWaiting += waiting > 0 ? 1 : 0;
  }
  const units = Object.entries(UNITS_PER_CHECK).map(([unit, each]) => [unit, each * checks * MINUTES_PER_DAY]);
  return { ...day, usd: computeListPrice(Object.fromEntries(units)) };
}

/**
 * Where tables go when the database is divided by account: to the directory, or to each database its own of the name. All
 * others go to the database of the account that they belong to.
 */
export const TABLE_PLACES: Record<"directory" | "each", readonly string[]> = {
  directory: [
    ...["account_links", "api_tokens", "check_groups", "installation", "page_invitations", "page_members"],
    ...["page_transfers", "passwords", "planned_minutes", "queue_health", "recovery_codes", "referrals", "sessions"],
    ...["shards", "two_factors", "users"],
  ],
  each: ["guards", "upkeep_rounds"],
};
