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
const UNITS_PER_MINUTE: BilledUnits = {
  queueOperations: OPERATIONS_PER_MESSAGE * MESSAGES_PER_MINUTE,
  workerRequests: 1 + MESSAGES_PER_MINUTE,
  cpuMs: 5 * MESSAGES_PER_MINUTE,
};

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
  const units = Object.entries(UNITS_PER_CHECK).map(([unit, perCheck]) => [
    unit,
    checks * perCheck + MINUTES_PER_MONTH * (UNITS_PER_MINUTE[unit as BilledUnit] ?? 0),
  ]);
  const objectBytes = monitors * OBJECT_BYTES_PER_CHECKED_MONITOR * Math.min(1, 60 / interval);
  return { checks, ...computeBill({ ...Object.fromEntries(units), objectBytes }) };
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
