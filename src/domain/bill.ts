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

/**
 * Units per check: the limits that the tests hold the service to, for full shards of one region and healthy targets. A
 * message checks sixty monitors, stores one row in the database and one of history, and deletes one of history.
 */
export const UNITS_PER_CHECK = {
  d1RowsRead: 1.05,
  d1RowsWritten: 1 / 60,
  objectRequests: 1 / 60,
  objectRowsWritten: 2.05 / 60,
  queueOperations: OPERATIONS_PER_MESSAGE / 60,
  workerRequests: 1 / 60,
  cpuMs: 1,
} as const satisfies BilledUnits;

/** A heartbeat is one request that one object stores in one row; its deadline is moved when it comes due. */
export const UNITS_PER_HEARTBEAT = {
  workerRequests: 1,
  cpuMs: 1,
  objectRequests: 1,
  objectRowsWritten: 1,
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
