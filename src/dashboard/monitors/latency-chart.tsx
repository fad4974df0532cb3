import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import { toIso } from "../../platform/clock.ts";
import { exactTime } from "../components/time.tsx";

export interface LatencyLine {
  name: string;
  /** By the instant at which a step begins. */
  values: ReadonlyMap<number, number>;
}

export interface LatencyChart {
  period: LatencyPeriod;
  lines: LatencyLine[];
}

const PERIODS: Record<LatencyPeriod, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** The script draws the table; without it, the table is the chart. */
export function LatencyFigure({ id, chart }: { id: string; chart: LatencyChart }) {
  const steps = [...new Set(chart.lines.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
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
      {steps.length === 0 ? (
        <p class="quiet">No latency was measured in this period.</p>
      ) : (
        <figure data-chart data-unit="ms">
          <div class="plot" />
          <div class="fallback" tabindex={0}>
            <table>
              <caption class="unseen">Latency of the last {PERIODS[chart.period]}, in milliseconds</caption>
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  {chart.lines.map(({ name }) => (
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
                    {chart.lines.map(({ values }) => (
                      <td class="num">{values.get(step) ?? ""}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </figure>
      )}
    </section>
  );
}
