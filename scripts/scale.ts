import {
  type BilledUnits,
  computeListPrice,
  MINUTES_PER_MONTH,
  OPERATIONS_PER_MESSAGE,
  UNITS_PER_CHECK,
} from "../src/domain/bill.ts";
import { CHANGES_PER_MONTH, DATABASE_USE } from "../src/domain/capacity.ts";
import { VERSION_SHARED_MS } from "../src/domain/page-address.ts";

/**
 * What each shared part of the service has to do for a fleet, from the units that tests hold the service to, the limits
 * that Cloudflare publishes, and four assumptions, each of which the page also varies. Limits:
 * https://developers.cloudflare.com/d1/platform/limits/, https://developers.cloudflare.com/queues/platform/limits/,
 * https://developers.cloudflare.com/durable-objects/platform/limits/, https://developers.cloudflare.com/workers/platform/limits/
 */
export interface Assumptions {
  /** Changes of status of a monitor in a month. */
  changes_per_month: number;
  /** A check takes this long, of which the Worker waits for nearly all. */
  check_ms: number;
  /** That a database's only writer writes in a second, those of indexes included. */
  rows_per_second: number;
  /** A call of the database, of a queue or of an object. */
  call_ms: number;
}
export const ASSUMED: Assumptions = {
  changes_per_month: CHANGES_PER_MONTH,
  check_ms: 300,
  rows_per_second: 1_000,
  call_ms: 30,
};

const INTERVAL_SECONDS = 60;
const CONNECTIONS = 6;
const MESSAGES_PER_CHECK = UNITS_PER_CHECK.queueOperations / OPERATIONS_PER_MESSAGE;
const ROWS_PER_CHANGE = DATABASE_USE.rows_per_change;
/** Everything that is written is deleted later. */
const ROWS_IN_ALL = 2 * ROWS_PER_CHANGE;
/** The hour's history of each group moves from its prober object within this time. */
const AGGREGATE_SECONDS = 3_600;
/** Share of the fleet that one network fault takes down within a minute. */
const FAULT_SHARE = 0.02;
/** A target that hangs, once in the lane of the others. */
const HANGING_SECONDS = 10;
/** Groups of silent monitors in one message, and the objects of each. */
const SILENT_PER_MESSAGE = 600;
const CONSUMERS_MAX = 250;

/** Limits of tests: messages of a change with its event and two deliveries, and calls that plan a minute. */
export const MESSAGES_PER_CHANGE = { events: 2, deliveries: 2 };
export const PLANNING = { calls: 8, groups_per_query: 500, groups_per_send: 100 };

export interface Part {
  name: string;
  limit: number;
  unit: string;
  used: number;
}

/** The busiest second of an ordinary day, or of the one that the name says. */
export function simulateSecond(monitors: number, assumed: Assumptions = ASSUMED): Part[] {
  const { changes_per_month, check_ms, rows_per_second, call_ms } = assumed;
  const checksPerSecond = monitors / INTERVAL_SECONDS;
  const changesPerSecond = (monitors * changes_per_month) / (MINUTES_PER_MONTH * 60);
  const aggregated = monitors / 24 / AGGREGATE_SECONDS;
  const written = checksPerSecond * UNITS_PER_CHECK.d1RowsWritten + changesPerSecond * ROWS_IN_ALL + aggregated;
  const faultsPerSecond = (monitors * FAULT_SHARE) / 60;
  const groups = monitors * MESSAGES_PER_CHECK;
  const planning = groups / PLANNING.groups_per_query + groups / PLANNING.groups_per_send;
  const consumers = (checksPerSecond * check_ms) / 1_000 / CONNECTIONS;
  const bytes = monitors * bytesPerMonitor(assumed);
  return [
    { name: "database size", limit: 10e9, unit: "bytes", used: bytes },
    { name: "database writer", limit: rows_per_second, unit: "rows", used: written },
    {
      name: "database writer, 2 % of all targets failing within a minute",
      limit: rows_per_second,
      unit: "rows",
      used: written + faultsPerSecond * ROWS_PER_CHANGE,
    },
    {
      name: "messages of the queue of checks",
      limit: 5_000,
      unit: "a second",
      used: checksPerSecond * MESSAGES_PER_CHECK,
    },
    {
      name: "messages of the queue of events, 2 % failing",
      limit: 5_000,
      unit: "a second",
      used: faultsPerSecond * MESSAGES_PER_CHANGE.events,
    },
    {
      name: "consumers of the queue of checks, six connections each",
      limit: CONSUMERS_MAX,
      unit: "at once",
      used: consumers,
    },
    {
      name: "busiest object: the meter, called by each isolate",
      limit: 1_000,
      unit: "requests a second",
      used: consumers / 60,
    },
    { name: "minute: calls that plan its checks", limit: 1_000, unit: "an invocation", used: planning },
    { name: "minute: time of these calls", limit: 60, unit: "seconds", used: (planning * call_ms) / 1_000 },
    {
      name: "minute: every monitor silent at once",
      limit: 60 * CONSUMERS_MAX,
      unit: "consumer seconds",
      used: ((monitors / SILENT_PER_MESSAGE) * (SILENT_PER_MESSAGE / CONNECTIONS) * call_ms) / 1_000,
    },
  ];
}

/** https://www.cloudflare.com/network/ */
export const DATA_CENTERS = 330;

/** Queries a second of the readers of so many pages, each read without a pause in every data center. */
export function computeReaderQueries(pages: number): number {
  return (pages * DATA_CENTERS * 1_000) / VERSION_SHARED_MS;
}

/** After a year. */
export function bytesPerMonitor({ changes_per_month }: Assumptions): number {
  const { bytes_per_monitor, bytes_per_change, bytes_of_deliveries } = DATABASE_USE;
  return bytes_per_monitor + changes_per_month * (12 * bytes_per_change + bytes_of_deliveries);
}

/** The largest fleet for which no part exceeds its limit. */
export function findCeiling(part: string, assumed: Assumptions = ASSUMED): number {
  const [one] = simulateSecond(1, assumed).filter(({ name }) => name === part);
  if (!one) throw new Error(`there is no part named ${part}`);
  return Math.floor(one.limit / one.used);
}

/** What is divided with the database; a database that is late for minutes after a fault is not yet too small. */
const DIVIDED = [
  ...["database size", "database writer"],
  ...["messages of the queue of checks", "consumers of the queue of checks, six connections each"],
];

/** Each has queues of its own. */
export function countDatabases(monitors: number, assumed: Assumptions = ASSUMED): number {
  return Math.ceil(monitors / Math.min(...DIVIDED.map((part) => findCeiling(part, assumed))));
}

/** Of the history of a shard: what its object keeps for 90 days, at the limit of a test for each check. */
export const SHARD_BYTES = 60 * 90 * 1440 * 8;

/** A day with 2 % of all targets hanging from noon on, and back ten minutes later. */
export interface FaultDay {
  databases: number;
  checks: number;
  rowsWritten: number;
  messages: number;
  objectRequests: number;
  /** Shares of what each part can do in a minute, in the busiest one. */
  writerMax: number;
  consumersMax: number;
  /** Rows that wait for the writers at worst, and for how many minutes any wait. */
  rowsWaitingMax: number;
  minutesWaiting: number;
  /** Seconds by which a check starts late at worst. */
  latenessMax: number;
  usd: number;
}

const MINUTES_PER_DAY = 1440;
const FAULT_AT = 720;
const RECOVERY_AT = 730;

/** Minute by minute. The fleet is divided evenly over its databases, whose queues of checks have 250 consumers each. */
export function simulateFaultDay(monitors: number, assumed: Assumptions = ASSUMED): FaultDay {
  const databases = countDatabases(monitors, assumed);
  const checks = (monitors * 60) / INTERVAL_SECONDS;
  const changes = (monitors * assumed.changes_per_month) / MINUTES_PER_MONTH;
  const rowsOfMinute = checks * UNITS_PER_CHECK.d1RowsWritten + changes * ROWS_IN_ALL + monitors / MINUTES_PER_DAY;
  const secondsOfMinute = (checks * assumed.check_ms) / 1_000 / CONNECTIONS;
  const writer = databases * assumed.rows_per_second * 60;
  const consumers = databases * CONSUMERS_MAX * 60;
  const day = { rowsWritten: 0, messages: 0, objectRequests: 0, writerMax: 0, consumersMax: 0 };
  const worst = { rowsWaitingMax: 0, minutesWaiting: 0, latenessMax: 0 };
  let [rowsWaiting, secondsWaiting] = [0, 0];
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    const failing = monitors * FAULT_SHARE;
    const changed = changes + (minute === FAULT_AT || minute === RECOVERY_AT ? failing : 0);
    const rows = rowsOfMinute + (changed - changes) * ROWS_PER_CHANGE;
    // From the next minute on, the slow lane has them.
    const seconds = secondsOfMinute + (minute === FAULT_AT ? (failing * HANGING_SECONDS) / CONNECTIONS : 0);
    rowsWaiting = Math.max(0, rowsWaiting + rows - writer);
    secondsWaiting = Math.max(0, secondsWaiting + seconds - consumers);
    const hanging = minute >= FAULT_AT && minute < RECOVERY_AT ? failing : 0;
    const messages =
      checks * MESSAGES_PER_CHECK + changed * (MESSAGES_PER_CHANGE.events + MESSAGES_PER_CHANGE.deliveries);
    day.rowsWritten += rows;
    day.messages += messages;
    day.objectRequests += checks * UNITS_PER_CHECK.objectRequests + hanging + changed;
    day.writerMax = Math.max(day.writerMax, rows / writer);
    day.consumersMax = Math.max(day.consumersMax, seconds / consumers);
    worst.rowsWaitingMax = Math.max(worst.rowsWaitingMax, rowsWaiting);
    worst.minutesWaiting += rowsWaiting > 0 ? 1 : 0;
    worst.latenessMax = Math.max(worst.latenessMax, secondsWaiting / databases / CONSUMERS_MAX);
  }
  const checked = checks * MINUTES_PER_DAY;
  const units: BilledUnits = {
    ...Object.fromEntries(Object.entries(UNITS_PER_CHECK).map(([unit, each]) => [unit, each * checked])),
    d1RowsWritten: day.rowsWritten,
    objectRequests: day.objectRequests,
    queueOperations: OPERATIONS_PER_MESSAGE * day.messages,
  };
  return { databases, checks: checked, ...day, ...worst, usd: computeListPrice(units) };
}

/** Each assumption at other values, the others as they are. */
export const VARIED = {
  changes_per_month: [0.5, 2, 10, 50],
  check_ms: [50, 300, 1_000, 3_000],
  rows_per_second: [250, 1_000, 4_000],
  call_ms: [10, 30, 100],
} as const satisfies Record<keyof Assumptions, readonly number[]>;

/**
 * Where tables go when the database is divided by account: to the directory, or to each database its own of the name. All
 * others go to the database of the account that they belong to.
 */
export const TABLE_PLACES: Record<"directory" | "each", readonly string[]> = {
  directory: [
    ...["account_links", "api_tokens", "page_invitations", "page_members", "page_transfers", "passkeys"],
    ...["passwords", "queue_health", "recovery_codes", "referrals", "sessions", "two_factors", "used_challenges"],
    ...["users"],
  ],
  each: ["check_groups", "guards", "installation", "planned_minutes", "shards", "upkeep_rounds"],
};
