import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import { toIso } from "../../platform/clock.ts";
import { exactTime } from "../components/time.tsx";

export interface ChartLine {
  name: string;
  /** By the instant at which a step begins. */
  values: ReadonlyMap<number, number>;
}

export interface LatencyChart {
  period: LatencyPeriod;
  lines: ChartLine[];
}

export const PERIODS: Record<LatencyPeriod, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

export function LatencyFigure({ id, chart }: { id: string; chart: LatencyChart }) {
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
        />
      )}
    </section>
  );
}

interface ChartProps {
  caption: string;
  unit: string;
  lines: readonly ChartLine[];
  /** Bars instead of lines. */
  hasBars?: boolean;
}

/** The script draws the table; without it, the table is the chart. */
export function ChartFigure({ caption, unit, lines, hasBars = false }: ChartProps) {
  const steps = [...new Set(lines.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  return (
    <figure data-chart={hasBars ? "bars" : "lines"} data-unit={unit}>
      <div class="plot" />
      <div class="fallback" tabindex={0}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(({ name }) => (
                <th scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr>
                <td>
                  <time datetime={toIso(step)}>{exactTime(step)}</time>
                </td>
                {lines.map(({ values }) => (
                  <td class="num">{values.get(step) ?? ""}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
