import type { LatencyPoint } from "../../domain/latency-series.ts";

const WIDTH = 96;
const HEIGHT = 24;
const PADDING = 2;

/** Of the line of a monitor in the picture that has those of a whole list. */
export const lineId = (monitorId: string) => `line-${monitorId}`;

interface Day {
  from: number;
  to: number;
}

/** One picture with a line for each monitor, which rows show by its id. */
export function drawSparklines(lines: readonly { id: string; points: readonly LatencyPoint[] }[], day: Day): string {
  const symbols = lines.map(
    ({ id, points }) =>
      `<symbol id="${lineId(id)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${lineOf(points, day)}</symbol>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

/** The medians as one line over the whole day; a gap in them is a gap in the line. */
function lineOf(points: readonly LatencyPoint[], { from, to }: Day): string {
  if (points.length < 2) return "";
  const top = Math.max(1, ...points.map(({ p50_ms }) => p50_ms));
  const step = Math.min(...points.slice(1).map(({ at }, n) => at - (points[n]?.at ?? at)));
  const x = (at: number) => (((at - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (ms: number) => (HEIGHT - PADDING - (ms / top) * (HEIGHT - 2 * PADDING)).toFixed(1);
  const moves = points.map(({ at, p50_ms }, n) => {
    const before = points[n - 1];
    const isGap = before === undefined || at - before.at > 2 * step;
    return `${isGap ? "M" : "L"}${x(at)} ${y(p50_ms)}`;
  });
  return `<path d="${moves.join("")}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`;
}
