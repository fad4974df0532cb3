import type { MaintenanceTime } from "../../data/maintenance/time.ts";
import {
  computeShownUptime,
  computeStatusDurations,
  type StatusInterval,
  sumStatusDurations,
} from "../../domain/uptime.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { mergeSpans, splitAt } from "../../lib/spans.ts";

const HEIGHT = 24;
/** Parts of the strip; a shorter outage is drawn one part wide, so that it is seen. */
const PARTS = 240;

/** A picture of a day changes when the next of its parts begins, not with every moment. */
const PART_MS = DAY_MS / PARTS;

/** The last 24 hours by whole parts, the present one included. */
export function lastDay(now: number): { from: number; to: number } {
  const to = Math.ceil((now + 1) / PART_MS) * PART_MS;
  return { from: to - DAY_MS, to };
}

/** The statuses of a monitor over a span of time, and its maintenance. */
interface Measured {
  intervals: readonly StatusInterval[];
  maintenance: MaintenanceTime;
  from: number;
  to: number;
}

interface StripProps extends Measured {
  /** Of the span: "Last 24 hours". */
  label: string;
  /** What was measured ends here; the part that it is in is drawn whole. */
  now: number;
}

/** The statuses of a span of time as one bar, worst on top. */
export function StatusStrip({ label, now, ...measured }: StripProps) {
  const { intervals, maintenance, from, to } = measured;
  const planned = maintenance.is_excluded ? mergeSpans(maintenance.spans) : [];
  const scale = PARTS / (to - from);
  const drawn = intervals.flatMap(({ status, from_at, to_at }) => {
    const end = Math.min(to_at ?? to, to);
    const start = Math.max(from_at, from);
    if (end <= start || !(status === "up" || status === "degraded" || status === "down")) return [];
    return splitAt(planned, { from_at: start, to_at: end }).map((piece) => {
      const shown = piece.isInside ? ("maintenance" as const) : status;
      const width = Math.max((piece.to_at - piece.from_at) * scale, shown === "up" ? 0 : 1);
      return { status: shown, x: Math.min((piece.from_at - from) * scale, PARTS - width), width };
    });
  });
  const rank = { up: 0, maintenance: 1, degraded: 2, down: 3 };
  const uptime = percentOf({ ...measured, to: Math.floor(now / MINUTE_MS) * MINUTE_MS });
  const said = `${label}: ${uptime === null ? "no data" : `${uptime} % uptime`}`;
  return (
    <svg class="strip" viewBox={`0 0 ${PARTS} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={said}>
      <title>{said}</title>
      <rect class="is-none" width={PARTS} height={HEIGHT} />
      {drawn
        .sort((a, b) => rank[a.status] - rank[b.status])
        .map(({ status, x, width }) => (
          <rect class={`is-${status}`} x={x.toFixed(2)} width={width.toFixed(2)} height={HEIGHT} />
        ))}
    </svg>
  );
}

export function percentOf({ intervals, maintenance: { spans, is_excluded }, from, to }: Measured): number | null {
  const rule = { maintenance: spans, is_excluded, now: to };
  const range = { from_at: from, to_at: to };
  return computeShownUptime(sumStatusDurations(computeStatusDurations(intervals, [range], rule)));
}
