import type { LatencyPoint, LatencyRange } from "../../domain/latency-series.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { words } from "../words.ts";

const WIDTH = 96;
const HEIGHT = 24;
const PADDING = 2;
/** Of the highest value: what varies by less is drawn as steady. */
const STEADY_SHARE = 0.5;

export interface SparklineProps {
  points: readonly LatencyPoint[];
  range: LatencyRange;
}

/** The medians of a day as one line; a gap in them is a gap in the line. */
export function Sparkline({ points, range }: SparklineProps) {
  const text = words("dashboard-monitors").list;
  return (
    <svg
      class="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text.trend}
    >
      {points.length < 2 ? null : <path d={lineOf(points, range)} />}
    </svg>
  );
}

/** From the first step of the day to its last one. */
export function lineOf(points: readonly LatencyPoint[], { from, step_ms }: LatencyRange): string {
  const medians = points.map(({ p50_ms }) => p50_ms);
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const span = Math.max(1, high - low, high * STEADY_SHARE);
  const x = (at: number) => Math.round(((at - from) / (DAY_MS - step_ms)) * WIDTH);
  const y = (ms: number) => Math.round(HEIGHT / 2 - ((ms - (low + high) / 2) / span) * (HEIGHT - 2 * PADDING));
  const moves = points.map(({ at, p50_ms }, n) => {
    const before = points[n - 1];
    const isGap = before === undefined || at - before.at > step_ms;
    return `${isGap ? "M" : "L"}${x(at)} ${y(p50_ms)}`;
  });
  return moves.join("");
}
