import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import type { LatencyHistogram } from "../../domain/baseline.ts";
import { PHASE_NAMES } from "../../domain/observed.ts";
import type { MeanPhases } from "../../domain/phase-tally.ts";
import { ChartFigure, type ChartLine } from "../components/chart.tsx";

export interface LatencyChart {
  period: LatencyPeriod;
  lines: ChartLine[];
  /** Everything that was measured in the period. */
  tally: LatencyHistogram;
  /** The lines are the median and the slowest twentieth of one place, not the medians of several. */
  isBand: boolean;
  phases: PhaseChart;
}

/** Where the time of a check goes, on average; empty for types whose checks have no phases. */
export interface PhaseChart {
  lines: ChartLine[];
  /** Of each place over the period. */
  rows: { name: string; means: MeanPhases }[];
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

export function PhasesFigure({ chart: { period, phases }, now }: Pick<LatencyProps, "chart" | "now">) {
  const { lines, rows } = phases;
  // One part alone is the latency once more.
  if (lines.length < 2) return null;
  const shown = PHASE_NAMES.filter(([phase]) => rows.some(({ means }) => means[phase] !== null));
  const isUndivided = rows.some(({ means }) => means.undivided_ms !== null);
  return (
    <section class="card" aria-labelledby="phases">
      <h2 id="phases">Where the time goes</h2>
      <ChartFigure
        caption={`Phases of successful checks of the last ${PERIODS[period]} on average, in milliseconds`}
        unit="ms"
        lines={lines}
        isStacked
        now={now}
      />
      <div class="table" tabindex={0}>
        <table>
          <caption class="unseen">Phases on average over the last {PERIODS[period]}, in milliseconds</caption>
          <thead>
            <tr>
              <th scope="col">{rows.length > 1 ? "Location" : "Phase"}</th>
              {shown.map(([, name]) => (
                <th scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, means }) => (
              <tr>
                <th scope="row">{name}</th>
                {shown.map(([phase]) => (
                  <td class="num">{means[phase] === null ? "–" : `${means[phase]} ms`}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isUndivided ? (
        <p class="quiet">
          Cloudflare’s network connects by itself, so its part until the answer cannot be divided into connection, TLS
          and first byte.
        </p>
      ) : null}
    </section>
  );
}
