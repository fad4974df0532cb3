import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import { ChartFigure, type ChartLine } from "../components/chart.tsx";

export interface LatencyChart {
  period: LatencyPeriod;
  lines: ChartLine[];
  /** The lines are the median and the slowest twentieth of one place, not the medians of several. */
  isBand: boolean;
}

export const PERIODS: Record<LatencyPeriod, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

interface LatencyProps {
  id: string;
  chart: LatencyChart;
  outages: readonly { from_at: number; to_at: number }[];
  now: number;
}

export function LatencyFigure({ id, chart, outages, now }: LatencyProps) {
  return (
    <section class="card" aria-labelledby="latency">
      <div class="row">
        <h2 id="latency">Latency</h2>
        <ul class="periods" aria-label="Period">
          {LATENCY_PERIODS.map((period) => (
            <li>
              <a
                href={`/app/monitors/${id}?period=${period}#latency`}
                {...(period === chart.period ? { "aria-current": "true" } : {})}
              >
                {PERIODS[period]}
              </a>
            </li>
          ))}
        </ul>
      </div>
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
