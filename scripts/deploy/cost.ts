/**
 * The monthly bill on the paid plan. Units per check are the limits that the tests hold the service to, for full groups
 * of one region; a bill is at most this while targets are healthy.
 */
const UNITS_PER_CHECK = {
  d1RowsRead: 1.2,
  d1RowsWritten: 1 / 20,
  objectRequests: 1 / 20,
  objectRowsWritten: 1 / 20,
  queueOperations: 3 / 20,
  workerRequests: 1 / 20,
  cpuMs: 1,
} as const;

/** The minute's own work, one message a part and a marker a queue, however few monitors there are. */
const MESSAGES_PER_MINUTE = 25;
const UNITS_PER_MINUTE: Partial<Record<Unit, number>> = {
  queueOperations: 3 * MESSAGES_PER_MINUTE,
  workerRequests: 1 + MESSAGES_PER_MINUTE,
  cpuMs: 5 * MESSAGES_PER_MINUTE,
};

type Unit = keyof typeof UNITS_PER_CHECK;

/** Dollars for a million beyond what the plan includes. https://developers.cloudflare.com/workers/platform/pricing/ */
const PRICES: Record<Unit, { included: number; perMillion: number; label: string }> = {
  d1RowsRead: { included: 25e9, perMillion: 0.001, label: "database rows read" },
  d1RowsWritten: { included: 50e6, perMillion: 1, label: "database rows written" },
  objectRequests: { included: 1e6, perMillion: 0.15, label: "object requests" },
  objectRowsWritten: { included: 50e6, perMillion: 1, label: "object rows written" },
  queueOperations: { included: 1e6, perMillion: 0.4, label: "queue operations" },
  workerRequests: { included: 10e6, perMillion: 0.3, label: "Worker requests" },
  cpuMs: { included: 30e6, perMillion: 0.02, label: "CPU milliseconds" },
};

const BASE_USD = 5;
const MINUTES_PER_MONTH = 30.4 * 1440;

export interface Fleet {
  monitors: number;
  interval: number;
}

export interface MonthlyCost {
  checks: number;
  lines: { label: string; units: number; usd: number }[];
  usd: number;
}

export function computeMonthlyCost({ monitors, interval }: Fleet): MonthlyCost {
  const checks = (monitors * MINUTES_PER_MONTH * 60) / interval;
  const lines = (Object.keys(PRICES) as Unit[]).map((unit) => {
    const { included, perMillion, label } = PRICES[unit];
    const units = checks * UNITS_PER_CHECK[unit] + MINUTES_PER_MONTH * (UNITS_PER_MINUTE[unit] ?? 0);
    return { label, units, usd: (Math.max(0, units - included) / 1e6) * perMillion };
  });
  return { checks, lines, usd: lines.reduce((sum, { usd }) => sum + usd, BASE_USD) };
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
