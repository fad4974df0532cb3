/** The response times of one period as the shapes of a chart, for a viewBox of WIDTH x HEIGHT. */
export const CHART = { width: 600, height: 160 } as const;

interface Point {
  at: number;
  p50_ms: number;
  p95_ms: number;
}

export interface LatencyChart {
  /** Paths of SVG; a gap of data is a gap of the line. */
  median: string;
  p95: string;
  /** The value at the upper edge of the chart. */
  top_ms: number;
}

/** Null where there is nothing to draw. */
export function drawLatency(
  points: readonly Point[],
  { from, to, step_ms }: { from: number; to: number; step_ms: number },
): LatencyChart | null {
  if (points.length === 0) return null;
  const top_ms = roundUp(Math.max(...points.map(({ p95_ms }) => p95_ms), 1));
  const x = (at: number) => coordinate(((at + step_ms / 2 - from) / (to - from)) * CHART.width);
  const y = (ms: number) => coordinate(CHART.height * (1 - ms / top_ms));
  const draw = (pick: (point: Point) => number) =>
    points
      .map((point, n) => {
        const before = points[n - 1];
        const isAlone = before === undefined || point.at - before.at > 2 * step_ms;
        // A point without neighbours is seen as a short dash.
        return `${isAlone ? `M${x(point.at - step_ms / 2)} ${y(pick(point))}L` : "L"}${x(point.at)} ${y(pick(point))}`;
      })
      .join("");
  return { median: draw(({ p50_ms }) => p50_ms), p95: draw(({ p95_ms }) => p95_ms), top_ms };
}

/** To 1, 2 or 5 of a power of ten, so that the scale is a round number. */
export function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(ms));
  return ([1, 2, 5, 10].find((step) => step * power >= ms) ?? 10) * power;
}

export function coordinate(value: number): number {
  return Math.round(value * 10) / 10;
}
