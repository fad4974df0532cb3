import { LATENCY_PERIODS, type LatencyPeriod } from "../../contract/latency.ts";
import type { LatencyHistogram } from "../../domain/baseline.ts";
import { PHASE_NAMES } from "../../domain/observed.ts";
import type { MeanPhases } from "../../domain/phase-tally.ts";
import { ChartFigure, type ChartLine } from "../components/chart.tsx";
import { words } from "../words.ts";

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

/** "24 hours" */
export function periodText(period: LatencyPeriod): string {
  return words("dashboard-monitors").periods[period];
}

/** One choice for all that a view says of the past. */
export function PeriodChoice({ id, chosen }: { id: string; chosen: LatencyPeriod }) {
  const text = words("dashboard-monitors").latency;
  return (
    <ul class="periods" aria-label={text.period}>
      {LATENCY_PERIODS.map((period) => (
        <li>
          <a href={`/app/monitors/${id}?period=${period}`} {...(period === chosen ? { "aria-current": "true" } : {})}>
            {periodText(period)}
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
  const text = words("dashboard-monitors").latency;
  return (
    <section class="card" aria-labelledby="latency">
      <h2 id="latency">{text.title}</h2>
      {chart.lines.every(({ values }) => values.size === 0) ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <ChartFigure
          caption={text.caption({ period: periodText(chart.period) })}
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
  const text = words("dashboard-monitors").latency;
  const { lines, rows } = phases;
  // One part alone is the latency once more.
  if (lines.length < 2) return null;
  const shown = PHASE_NAMES.filter(([phase]) => rows.some(({ means }) => means[phase] !== null));
  const isUndivided = rows.some(({ means }) => means.undivided_ms !== null);
  return (
    <section class="card" aria-labelledby="phases">
      <h2 id="phases">{text.phases.title}</h2>
      <ChartFigure
        caption={text.phases.caption({ period: periodText(period) })}
        unit="ms"
        lines={lines}
        isStacked
        now={now}
      />
      <div class="table" tabindex={0}>
        <table>
          <caption class="unseen">{text.phases.table({ period: periodText(period) })}</caption>
          <thead>
            <tr>
              <th scope="col">{rows.length > 1 ? text.phases.location : text.phases.phase}</th>
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
      {isUndivided ? <p class="quiet">{text.phases.edge}</p> : null}
    </section>
  );
}
