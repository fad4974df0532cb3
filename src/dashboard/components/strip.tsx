import { computeStatusDurations, computeUptimePercentage, type StatusInterval } from "../../domain/uptime.ts";

const HEIGHT = 24;
/** Parts of the strip; a shorter outage is drawn one part wide, so that it is seen. */
const PARTS = 240;

interface StripProps {
  intervals: readonly StatusInterval[];
  from: number;
  to: number;
  /** Of the span: "Last 24 hours". */
  label: string;
}

/** The statuses of a span of time as one bar, worst on top. */
export function StatusStrip({ intervals, from, to, label }: StripProps) {
  const scale = PARTS / (to - from);
  const drawn = intervals.flatMap(({ status, from_at, to_at }) => {
    const end = Math.min(to_at ?? to, to);
    const start = Math.max(from_at, from);
    if (end <= start || !(status === "up" || status === "degraded" || status === "down")) return [];
    const width = Math.max((end - start) * scale, status === "up" ? 0 : 1);
    return [{ status, x: Math.min((start - from) * scale, PARTS - width), width }];
  });
  const rank = { up: 0, degraded: 1, down: 2 };
  const uptime = percentOf(intervals, from, to);
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

export function percentOf(intervals: readonly StatusInterval[], from: number, to: number): number | null {
  const [durations] = computeStatusDurations(intervals, [{ from_at: from, to_at: to }], to);
  return durations ? computeUptimePercentage(durations) : null;
}
