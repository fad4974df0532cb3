import {
  BASE_USD,
  type BilledUnit,
  type BilledUnits,
  computeBill,
  MINUTES_PER_MONTH,
  OBJECT_BYTES_PER_CHECKED_MONITOR,
  OPERATIONS_PER_MESSAGE,
  UNITS_PER_CHECK,
} from "../../src/domain/bill.ts";

/** The minute's own work, one message a part and a marker a queue, however few monitors there are. */
export const MESSAGES_PER_MINUTE = 25;
export const UNITS_PER_MINUTE = {
  d1RowsRead: 132,
  d1RowsWritten: 10,
  queueOperations: OPERATIONS_PER_MESSAGE * MESSAGES_PER_MINUTE,
  workerRequests: 1 + MESSAGES_PER_MINUTE,
  cpuMs: 5 * MESSAGES_PER_MINUTE,
} as const satisfies BilledUnits;

/** So many of each. */
export function addUnits(...parts: readonly [units: BilledUnits, count: number][]): BilledUnits {
  const sum: BilledUnits = {};
  for (const [units, count] of parts) {
    for (const unit of Object.keys(units) as BilledUnit[]) sum[unit] = (sum[unit] ?? 0) + count * (units[unit] ?? 0);
  }
  return sum;
}

export interface Fleet {
  monitors: number;
  interval: number;
}

export interface MonthlyCost {
  checks: number;
  lines: { label: string; units: number; usd: number }[];
  usd: number;
}

/** The bill is at most this while targets are healthy. */
export function computeMonthlyCost({ monitors, interval }: Fleet): MonthlyCost {
  const checks = (monitors * MINUTES_PER_MONTH * 60) / interval;
  const units = addUnits([UNITS_PER_CHECK, checks], [UNITS_PER_MINUTE, MINUTES_PER_MONTH]);
  const objectBytes = monitors * OBJECT_BYTES_PER_CHECKED_MONITOR * Math.min(1, 60 / interval);
  return { checks, ...computeBill({ ...units, objectBytes }) };
}

export function formatMonthlyCost(fleet: Fleet): string {
  const { checks, lines, usd } = computeMonthlyCost(fleet);
  const millions = (count: number) => `${(count / 1e6).toFixed(1)} M`;
  const billed = lines.filter((line) => line.usd > 0);
  return [
    `Monthly cost of ${fleet.monitors} monitors every ${fleet.interval} s (${millions(checks)} checks, one region):`,
    `  ${BASE_USD.toFixed(2).padStart(8)} USD  Workers Paid plan`,
    ...billed.map(
      ({ label, units, usd: cost }) => `  ${cost.toFixed(2).padStart(8)} USD  ${label} (${millions(units)})`,
    ),
    `  ${usd.toFixed(2).padStart(8)} USD  at most, without traffic of people, pushes and mail`,
  ].join("\n");
}
