/**
 * The monthly bill of the Workers Paid plan by its list prices, in dollars. A price is for a million units beyond what the
 * plan includes: https://developers.cloudflare.com/workers/platform/pricing/
 */
export const PRICES = {
  d1RowsRead: { included: 25e9, perMillion: 0.001, label: "database rows read" },
  d1RowsWritten: { included: 50e6, perMillion: 1, label: "database rows written" },
  /** $0.75 for each GB beyond 5 GB. */
  d1Bytes: { included: 5e9, perMillion: 0.75e-3, label: "database bytes" },
  objectRequests: { included: 1e6, perMillion: 0.15, label: "object requests" },
  objectRowsWritten: { included: 50e6, perMillion: 1, label: "object rows written" },
  /** GB-seconds; an object has 128 MB while it works, and while it waits for what it asked. */
  objectDuration: { included: 400e3, perMillion: 12.5, label: "object duration, GB s" },
  /** $0.20 for each GB beyond 5 GB. */
  objectBytes: { included: 5e9, perMillion: 0.2e-3, label: "object bytes" },
  queueOperations: { included: 1e6, perMillion: 0.4, label: "queue operations" },
  kvReads: { included: 10e6, perMillion: 0.5, label: "cache reads" },
  kvWrites: { included: 1e6, perMillion: 5, label: "cache writes" },
  workerRequests: { included: 10e6, perMillion: 0.3, label: "Worker requests" },
  cpuMs: { included: 30e6, perMillion: 0.02, label: "CPU milliseconds" },
} as const;
export type BilledUnit = keyof typeof PRICES;
export type BilledUnits = Partial<Record<BilledUnit, number>>;

export const BASE_USD = 5;
export const MINUTES_PER_MONTH = 30.4 * 1440;
/** A message is written, read and deleted. */
export const OPERATIONS_PER_MESSAGE = 3;

/** As many monitors are checked by one message, once the fleet is packed; targets that hang have messages of their own. */
const MEMBERS_PER_MESSAGE = 60;
const HANGING_PER_MESSAGE = 30;

/** An object has 128 MB. */
const GB_OF_OBJECT = 0.128;
/** Estimated, as the platform's clock stands still while an object computes: it stores a row and waits for nothing else. */
const SECONDS_PER_OBJECT_REQUEST = 0.01;
const DURATION_PER_OBJECT_REQUEST = GB_OF_OBJECT * SECONDS_PER_OBJECT_REQUEST;

/** What objects keep: 90 days of checks once a minute, eight bytes each, of one region. */
export const OBJECT_BYTES_PER_CHECKED_MONITOR = 90 * 1440 * 8;
/** The thousand newest pushes with their memory. */
export const OBJECT_BYTES_PER_HEARTBEAT_MONITOR = 400_000;

/**
 * A message stores one row in the database and one of history, in place; each hour closes its aggregates and deletes as
 * many quarters of an hour as it began.
 */
export const UNITS_PER_MESSAGE = {
  d1RowsRead: 3,
  d1RowsWritten: 1,
  objectRequests: 1,
  objectRowsWritten: 1 + 7 / 60,
  objectDuration: DURATION_PER_OBJECT_REQUEST,
  queueOperations: OPERATIONS_PER_MESSAGE,
  workerRequests: 1,
} as const satisfies BilledUnits;

/** Where nothing hangs: the limits that tests hold the service to. */
export const UNITS_PER_CHECK = {
  cpuMs: 1,
  ...perCheck(1 / MEMBERS_PER_MESSAGE),
} as const;

interface CheckedFleet {
  /** Of all targets. */
  hanging_share?: number;
  members_per_message?: number;
  hanging_per_message?: number;
}

/** Units per check of a packed fleet. A target that hangs calls the object of its monitor with each check. */
export function computeUnitsPerCheck({
  hanging_share = 0,
  members_per_message = MEMBERS_PER_MESSAGE,
  hanging_per_message = HANGING_PER_MESSAGE,
}: CheckedFleet): typeof UNITS_PER_CHECK {
  const hangingMessages = hanging_share === 0 ? 0 : hanging_share / hanging_per_message;
  const shared = perCheck(1 / members_per_message + hangingMessages);
  return {
    ...UNITS_PER_CHECK,
    ...shared,
    objectRequests: shared.objectRequests + hanging_share,
    objectDuration: shared.objectDuration + hanging_share * DURATION_PER_OBJECT_REQUEST,
  };
}

function perCheck(messages: number): Record<keyof typeof UNITS_PER_MESSAGE, number> {
  const { d1RowsRead, d1RowsWritten, objectRequests, objectRowsWritten, objectDuration } = UNITS_PER_MESSAGE;
  const { queueOperations, workerRequests } = UNITS_PER_MESSAGE;
  return {
    // Each member's own, too.
    d1RowsRead: 1 + d1RowsRead * messages,
    d1RowsWritten: d1RowsWritten * messages,
    objectRequests: objectRequests * messages,
    objectRowsWritten: objectRowsWritten * messages,
    objectDuration: objectDuration * messages,
    queueOperations: queueOperations * messages,
    workerRequests: workerRequests * messages,
  };
}

/**
 * A heartbeat as often as it is due, once a minute, where the first missing one is an outage: one request that one object
 * stores in one row, and one row that moves the object's alarm. Once an hour the object wakes to read its monitor and closes
 * the hour's aggregates. Where more may be missed, or more are sent, the alarm is moved once for all of them.
 */
export const UNITS_PER_HEARTBEAT = {
  workerRequests: 1,
  cpuMs: 1,
  d1RowsRead: 2 / 60,
  objectRequests: 1 + 1 / 60,
  objectRowsWritten: 2 + 6 / 60,
  objectDuration: (1 + 1 / 60) * DURATION_PER_OBJECT_REQUEST,
} as const satisfies BilledUnits;

/** While the isolate that answers does not know the page. */
export const UNITS_PER_PAGE_VIEW = {
  workerRequests: 1,
  cpuMs: 2,
  d1RowsRead: 2,
  kvReads: 1,
} as const satisfies BilledUnits;

export interface BillLine {
  label: string;
  units: number;
  usd: number;
}

/** The bill of a month in which these units are used. */
export function computeBill(units: BilledUnits): { lines: BillLine[]; usd: number } {
  const lines = billedUnits(units).map(([{ included, perMillion, label }, used]) => {
    return { label, units: used, usd: (Math.max(0, used - included) / 1e6) * perMillion };
  });
  return { lines, usd: lines.reduce((sum, { usd }) => sum + usd, BASE_USD) };
}

/** What units cost when nothing is included any more. */
export function computeListPrice(units: BilledUnits): number {
  return billedUnits(units).reduce((sum, [{ perMillion }, used]) => sum + (used / 1e6) * perMillion, 0);
}

function billedUnits(units: BilledUnits) {
  return (Object.keys(PRICES) as BilledUnit[]).flatMap((unit) => {
    const used = units[unit];
    return used === undefined ? [] : [[PRICES[unit], used] as const];
  });
}
