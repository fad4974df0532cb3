/** The response times of one period as the shapes of a chart, for a viewBox of WIDTH x HEIGHT. */
export const CHART = { width: 600, height: 160 } as const;

interface Point {
  at: number;
  p50_ms: number;
  p95_ms: number;
}

export interface LatencyChart {
  /** Paths of SVG; a gap of data is a gap of both. */
  median: string;
  /** What lies between the median and the 95th percentile. */
  band: string;
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
  const stretches: Point[][] = [];
  for (const point of points) {
    const last = stretches.at(-1);
    const before = last?.at(-1);
    if (last && before && point.at - before.at <= 2 * step_ms) last.push(point);
    // A point without neighbours is seen as a short dash.
    else stretches.push([{ ...point, at: point.at - step_ms / 2 }, point]);
  }
  const draw = (stretch: readonly Point[], pick: (point: Point) => number) =>
    stretch.map((point) => `${x(point.at)} ${y(pick(point))}`).join("L");
  return {
    median: stretches.map((stretch) => `M${draw(stretch, ({ p50_ms }) => p50_ms)}`).join(""),
    band: stretches
      .map((stretch) => {
        const edge = draw(stretch, ({ p95_ms }) => p95_ms);
        return `M${edge}L${draw(stretch.toReversed(), ({ p50_ms }) => p50_ms)}Z`;
      })
      .join(""),
    top_ms,
  };
}

/** To 1, 2 or 5 of a power of ten, so that the scale is a round number. */
export function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(ms));
  return ([1, 2, 5, 10].find((step) => step * power >= ms) ?? 10) * power;
}

export function coordinate(value: number): number {
  return Math.round(value * 10) / 10;
}
