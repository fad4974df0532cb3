import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import type { LatencyHistogram } from "../../domain/baseline.ts";
import { ChartFigure, type ChartLine } from "../components/chart.tsx";

export interface LatencyChart {
  period: LatencyPeriod;
  lines: ChartLine[];
  /** Everything that was measured in the period. */
  tally: LatencyHistogram;
  /** The lines are the median and the slowest twentieth of one place, not the medians of several. */
  isBand: boolean;
}

export const PERIODS: Record<LatencyPeriod, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** One choice for all that a view says of the past. */
export function PeriodChoice({ id, chosen }: { id: string; chosen: LatencyPeriod }) {
  return (
    <ul class="periods" aria-label="Period">
      {LATENCY_PERIODS.map((period) => (
        <li>
          <a href={`/app/monitors/${id}?period=${period}`} {...(period === chosen ? { "aria-current": "true" } : {})}>
            {PERIODS[period]}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface LatencyProps {
  chart: LatencyChart;
  outages: readonly { from_at: number; to_at: number }[];
  now: number;
}

export function LatencyFigure({ chart, outages, now }: LatencyProps) {
  return (
    <section class="card" aria-labelledby="latency">
      <h2 id="latency">Latency</h2>
      {chart.lines.every(({ values }) => values.size === 0) ? (
        <p class="quiet">No latency was measured in this period.</p>
      ) : (
        <ChartFigure
          caption={`Latency of the last ${PERIODS[chart.period]}, in milliseconds`}
          unit="ms"
          lines={chart.lines}
          isBand={chart.isBand}
          now={now}
          shaded={outages}
        />
      )}
    </section>
  );
}
