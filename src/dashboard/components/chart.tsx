import { words } from "../words.ts";
import { ExactTime, exactTime } from "./time.tsx";

export interface ChartLine {
  name: string;
  /** By the instant at which a step begins. */
  values: ReadonlyMap<number, number>;
}

interface ChartProps {
  caption: string;
  unit: string;
  lines: readonly ChartLine[];
  /** Bars instead of lines. */
  hasBars?: boolean;
  /** The second line is the upper edge of a band over the first one. */
  isBand?: boolean;
  /** Areas on top of each other, the first line below: parts of a whole. */
  isStacked?: boolean;
  /** Shares of 100: the axis ends there, and begins at a round value below the lowest one, so that what is missing is seen. */
  isShare?: boolean;
  /** The step that runs at this moment is drawn as unfinished. */
  now?: number;
  /** Spans that are shaded: outages. */
  shaded?: readonly { from_at: number; to_at: number }[];
}

const WIDTH = 720;
const HEIGHT = 200;
const GRID_LINES = 4;
const TICKS_MAX = 6;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Round ones, between which an axis has its ticks. */
const TICK_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 60, 90].map((days) => days * DAY_MS),
];
/** A label nearer to an end of the axis than this part of it would stick out. */
const EDGE = 0.03;
/** An axis of shares covers as much even where nothing is missing. */
const SHARE_MIN = 0.2;
/** Over more than two days the axis names days. */
const LONG_MS = 2 * DAY_MS;
/** More than so many steps without a value are a gap in the line. */
const GAP_STEPS = 3;

/**
 * A chart as the server draws it, with the table of what it shows behind it. The script adds a crosshair, and the reader's
 * zone. The plot is stretched to its place, so what is to keep its shape, labels and the width of lines, stands outside of
 * it or does not scale.
 */
export function ChartFigure(chart: ChartProps) {
  const text = words("dashboard-frame").chart;
  const { caption, unit, lines, hasBars = false, isShare = false } = chart;
  const steps = [...new Set(lines.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const [first = 0, last = 0] = [steps[0], steps.at(-1)];
  if (steps.length < (hasBars ? 1 : 2)) return <p class="quiet">{text.begins}</p>;
  const shown = chart.isStacked
    ? steps.map((at) => sumAt(lines, at))
    : lines.flatMap(({ values }) => [...values.values()]);
  const { bottom, top } = axisOf(shown, isShare);
  return (
    <figure class="chart" data-chart={hasBars ? "bars" : "lines"} data-unit={behind(unit)}>
      <Legend {...chart} />
      <div class="chart-body">
        <div class="chart-values" aria-hidden="true">
          {Array.from({ length: GRID_LINES + 1 }, (_, n) => (
            <span>{numberOf(top - ((top - bottom) * n) / GRID_LINES)}</span>
          ))}
        </div>
        <div class="chart-plot" data-plot data-from={first} data-to={last}>
          <Plot {...chart} steps={steps} bottom={bottom} top={top} />
        </div>
        <TimeAxis first={first} last={last} />
      </div>
      <details class="chart-table">
        <summary>{text.table}</summary>
        <div class="table" tabindex={0}>
          <table>
            <caption class="unseen">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">{text.time}</th>
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
                    <ExactTime at={step} />
                  </td>
                  {lines.map(({ values }) => (
                    <td class="num">{values.get(step) ?? ""}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The script writes the labels in the zone of the reader. */
function TimeAxis({ first, last }: { first: number; last: number }) {
  const isLong = last - first > LONG_MS;
  return (
    <svg class="chart-times" aria-hidden="true">
      {ticksBetween(first, last, isLong ? DAY_MS : MINUTE_MS).map((at) => {
        const place = last === first ? 0 : (at - first) / (last - first);
        return (
          <text
            x={`${Number((100 * place).toFixed(2))}%`}
            y="1em"
            text-anchor={place < EDGE ? "start" : place > 1 - EDGE ? "end" : "middle"}
            data-axis={isLong ? "day" : "time"}
            data-at={at}
          >
            {(isLong ? /^\d+ \w+/ : /\d\d:\d\d/).exec(exactTime(at))?.[0]}
          </text>
        );
      })}
    </svg>
  );
}

/** Round instants at even distances within a span; a span without length has the one. */
function ticksBetween(first: number, last: number, stepMin: number): number[] {
  if (last === first) return [first];
  const fitting = TICK_STEPS_MS.filter((step) => step >= stepMin);
  const step = fitting.find((each) => (last - first) / each <= TICKS_MAX) ?? 90 * DAY_MS;
  const begin = Math.ceil(first / step) * step;
  return Array.from({ length: Math.floor((last - begin) / step) + 1 }, (_, n) => begin + n * step);
}

/** As it follows a number. */
const behind = (unit: string) => (unit === "" || unit === "%" ? unit : ` ${unit}`);

function Legend({ lines, isBand, shaded = [], unit }: ChartProps) {
  const text = words("dashboard-frame").chart;
  return (
    <ul class="legend">
      {lines.map(({ name, values }, n) => {
        const latest = [...values.values()].at(-1);
        return (
          <li>
            <span class={`swatch is-${isBand && n === 1 ? "band" : n + 1}`} />
            {name}
            <span class="quiet num">{latest === undefined ? "" : `${numberOf(latest)}${behind(unit)}`}</span>
          </li>
        );
      })}
      {shaded.length === 0 ? null : (
        <li>
          <span class="swatch is-outage" />
          {text.outage}
        </li>
      )}
    </ul>
  );
}

interface PlotProps extends ChartProps {
  steps: readonly number[];
  bottom: number;
  top: number;
}

function Plot({ caption, lines, hasBars, isBand, isStacked, now, shaded = [], steps, bottom, top }: PlotProps) {
  const text = words("dashboard-frame").chart;
  const [first = 0, last = 1] = [steps[0], steps.at(-1)];
  const span = Math.max(1, last - first);
  const x = (at: number) => Number((((at - first) / span) * WIDTH).toFixed(1));
  const y = (value: number) => Number((HEIGHT - ((value - bottom) / (top - bottom)) * HEIGHT).toFixed(1));
  const step = usualStep(steps);
  const [middle, upper] = lines;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text.summary({ caption })}
    >
      {Array.from({ length: GRID_LINES + 1 }, (_, n) => (
        <path class="chart-grid" d={`M0 ${(HEIGHT * n) / GRID_LINES}H${WIDTH}`} />
      ))}
      {shaded.map(({ from_at, to_at }) => {
        const [from, to] = [Math.max(0, x(from_at)), Math.min(WIDTH, x(to_at))];
        if (to <= 0 || from >= WIDTH) return null;
        const width = Math.max(2, to - from);
        return (
          <>
            <rect class="chart-outage" x={from} width={width} height={HEIGHT} />
            <rect class="chart-outage-cap" x={from} width={width} height={2} />
          </>
        );
      })}
      {isBand && middle && upper ? <path class="chart-band" d={bandPath(middle, upper, { x, y })} /> : null}
      {lines.map(({ values }, n) => {
        if (isBand && n === 1) return null;
        if (isStacked) {
          return <path class={`chart-area is-${n + 1}`} d={areaPath(lines, n, { x, y, step, now, steps })} />;
        }
        if (!hasBars) {
          const { finished, unfinished } = linePaths(values, { x, y, step, now });
          return (
            <>
              <path class={`chart-line is-${n + 1}`} d={finished} />
              {unfinished === "" ? null : <path class={`chart-line is-${n + 1} is-unfinished`} d={unfinished} />}
            </>
          );
        }
        const width = Math.max(1, Math.round((WIDTH / steps.length) * 0.7) / lines.length);
        return [...values].map(([at, value]) => (
          <rect
            class={`chart-bar is-${n + 1}`}
            x={Math.min(WIDTH - width, Math.max(0, x(at) - width / 2 + n * width))}
            y={y(value)}
            width={width}
            height={Math.max(0, HEIGHT - y(value))}
          />
        ));
      })}
    </svg>
  );
}

/** The one in the middle, because the first and the last may be cut by the period. */
function usualStep(steps: readonly number[]): number {
  const lengths = steps.slice(1).map((at, n) => at - (steps[n] ?? at));
  return lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
}

interface Scales {
  x(at: number): number;
  y(value: number): number;
}

interface Steps extends Scales {
  step: number;
  now: number | undefined;
}

/** The way to a step that still runs is a line of its own: its few checks may say something else when it is over. */
function linePaths(values: ReadonlyMap<number, number>, { x, y, step, now = Number.POSITIVE_INFINITY }: Steps) {
  const points = [...values].sort(([a], [b]) => a - b);
  const isGap = (n: number) => n === 0 || (points[n]?.[0] ?? 0) - (points[n - 1]?.[0] ?? 0) > GAP_STEPS * step;
  const spots = points.map(([at, value]) => `${x(at)} ${y(value)}`);
  const last = points.length - 1;
  const isRunning = last > 0 && (points[last]?.[0] ?? 0) + step > now && !isGap(last);
  const drawn = isRunning ? spots.slice(0, last) : spots;
  return {
    finished: drawn.map((spot, n) => `${isGap(n) ? "M" : "L"}${spot}`).join(""),
    unfinished: isRunning ? `M${spots[last - 1]}L${spots[last]}` : "",
  };
}

const sumAt = (lines: readonly ChartLine[], at: number) =>
  lines.reduce((sum, { values }) => sum + (values.get(at) ?? 0), 0);

/** Between what lies below a line and that with it, in a piece for each stretch without a gap. */
function areaPath(
  lines: readonly ChartLine[],
  n: number,
  { x, y, step, steps }: Steps & { steps: readonly number[] },
): string {
  const pieces: number[][] = [];
  for (const [place, at] of steps.entries()) {
    const before = steps[place - 1];
    if (before === undefined || at - before > GAP_STEPS * step) pieces.push([]);
    pieces.at(-1)?.push(at);
  }
  const edge = (at: number, count: number) => `${x(at)} ${y(sumAt(lines.slice(0, count), at))}`;
  return pieces
    .map((piece) => [...piece.map((at) => edge(at, n + 1)), ...piece.toReversed().map((at) => edge(at, n))])
    .map((edges) => `M${edges.join("L")}Z`)
    .join("");
}

function bandPath(middle: ChartLine, upper: ChartLine, { x, y }: Scales): string {
  const edge = [...upper.values].sort(([a], [b]) => a - b).map(([at, value]) => `${x(at)} ${y(value)}`);
  const base = [...middle.values].sort(([a], [b]) => b - a).map(([at, value]) => `${x(at)} ${y(value)}`);
  return edge.length === 0 ? "" : `M${[...edge, ...base].join("L")}Z`;
}

function axisOf(values: readonly number[], isShare: boolean): { bottom: number; top: number } {
  if (!isShare) return { bottom: 0, top: niceTop(Math.max(...values, 0)) };
  const missing = Math.max(SHARE_MIN, 100 - Math.min(...values, 100));
  return { bottom: Math.max(0, 100 - niceTop(missing)), top: 100 };
}

/** The next round number above, so that the grid has round values. */
export function niceTop(value: number): number {
  if (value <= 0) return GRID_LINES;
  const unit = 10 ** Math.floor(Math.log10(value / GRID_LINES));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each * GRID_LINES >= value) ?? 10 * unit;
  return step * GRID_LINES;
}

function numberOf(value: number): string {
  return String(Math.round(value * 100) / 100);
}
