import type { WidgetPicture } from "../domain/metric-widgets.ts";
import { CHART, coordinate, roundUp } from "./latency-chart.ts";

/** A widget as the one shape of a chart. */
export interface MetricChart {
  path: string;
  is_filled: boolean;
  /** Values at the edges of the chart; the lower one is 0 unless something is below it. */
  top: number;
  bottom: number;
}

interface Range {
  from: number;
  to: number;
  step_ms: number;
}

/** Share of its step that a bar takes. */
const BAR_WIDTH = 0.8;

/** Null where there is nothing to draw. */
export function drawWidget({ type, points }: WidgetPicture, { from, to, step_ms }: Range): MetricChart | null {
  if (points.length === 0) return null;
  const means = points.map(({ mean }) => mean);
  const top = roundUp(Math.max(...means, 1));
  const bottom = Math.min(0, ...means) < 0 ? -roundUp(-Math.min(...means)) : 0;
  const x = (at: number) => coordinate(((at - from) / (to - from)) * CHART.width);
  const y = (value: number) => coordinate((CHART.height * (top - value)) / (top - bottom));
  if (type === "bar") {
    const width = coordinate((step_ms / (to - from)) * CHART.width * BAR_WIDTH);
    const bars = points.map(({ at, mean }) => `M${x(at)} ${y(0)}V${y(mean)}h${width}V${y(0)}Z`);
    return { path: bars.join(""), is_filled: true, top, bottom };
  }
  const line = points.map(({ at, mean }, n) => {
    const before = points[n - 1];
    const isAlone = before === undefined || at - before.at > 2 * step_ms;
    // A point without neighbours is seen as a short dash.
    return `${isAlone ? `M${x(at)} ${y(mean)}L` : "L"}${x(at + step_ms / 2)} ${y(mean)}`;
  });
  return { path: line.join(""), is_filled: false, top, bottom };
}
