import type { MaintenanceTime } from "../../data/maintenance/time.ts";
import {
  computeShownUptime,
  computeStatusDurations,
  type StatusDurations,
  type StatusInterval,
  sumStatusDurations,
} from "../../domain/uptime.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { mergeSpans, splitAt } from "../../lib/spans.ts";
import { words } from "../words.ts";

const HEIGHT = 20;
/** Of a day: half an hour each. */
const CELLS = 48;
/** A picture of a day changes when the next of its cells begins, not with every moment. */
const CELL_MS = DAY_MS / CELLS;
/** Of a cell in which anything failed, so that a short outage is seen; it grows with its share of the cell. */
const SHARE_MIN = 0.3;
/** Shares are drawn in steps, so that an outage that goes on changes the picture seldom. */
const SHARE_STEPS = 5;

/** The last 24 hours by whole cells, the present one included. */
export function lastDay(now: number): { from: number; to: number } {
  const to = Math.ceil((now + 1) / CELL_MS) * CELL_MS;
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
  /** What was measured ends here; the cell that it is in is drawn whole. */
  now: number;
}

type Trouble = "maintenance" | "degraded" | "down";
interface Cell {
  isMeasured: boolean;
  /** The worst that happened in it, and for which share of it; null: nothing. */
  trouble: { status: Trouble; share: number } | null;
}

/** The statuses of a span of time as cells: what was up stays in the ground, trouble grows from the base. */
export function StatusStrip({ label, now, ...measured }: StripProps) {
  const uptime = percentOf({ ...measured, to: Math.floor(now / MINUTE_MS) * MINUTE_MS });
  return <Cells label={label} uptime={uptime} cells={cellsOf(measured, now)} />;
}

interface DayStripProps {
  /** Of the span: "Last 7 days". */
  label: string;
  /** How long each status held, day by day; undefined: before anything was measured. */
  days: readonly (StatusDurations | undefined)[];
}

/** The same by days; the style knows how many there can be. */
export function DayStrip({ label, days }: DayStripProps) {
  const tallies = days.map((tally) => tally ?? { up: 0, maintenance: 0, degraded: 0, down: 0 });
  const uptime = computeShownUptime(sumStatusDurations(tallies));
  return <Cells label={label} uptime={uptime} cells={tallies.map(cellOf)} />;
}

interface CellsProps {
  label: string;
  uptime: number | null;
  cells: readonly Cell[];
}

function Cells({ label, uptime, cells }: CellsProps) {
  const count = cells.length;
  const text = words("dashboard-frame").strip;
  const said = uptime === null ? text.short({ label }) : text.uptime({ label, uptime });
  return (
    <svg
      class={count === CELLS ? "strip" : `strip has-${count}`}
      viewBox={`0 0 ${count} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      <rect class="is-none" y={HEIGHT - 1} width={count} height={1} />
      {runsOf(cells.map(({ isMeasured }) => isMeasured)).map(({ from, length }) => (
        <rect class="is-up" x={from} width={length} height={HEIGHT} />
      ))}
      {cells.map(({ trouble }, n) => {
        if (trouble === null) return null;
        const height = trouble.share * HEIGHT;
        return <rect class={`is-${trouble.status}`} x={n} y={HEIGHT - height} width={1} height={height} />;
      })}
    </svg>
  );
}

export function cellsOf({ intervals, maintenance, from, to }: Measured, now: number): Cell[] {
  const planned = maintenance.is_excluded ? mergeSpans(maintenance.spans) : [];
  const size = (to - from) / CELLS;
  const lengths = Array.from({ length: CELLS }, () => ({ up: 0, maintenance: 0, degraded: 0, down: 0 }));
  for (const { status, from_at, to_at } of intervals) {
    const end = Math.min(to_at ?? now, now, to);
    const start = Math.max(from_at, from);
    if (end <= start || !(status === "up" || status === "degraded" || status === "down")) continue;
    for (const piece of splitAt(planned, { from_at: start, to_at: end })) {
      const shown = piece.isInside ? "maintenance" : status;
      for (let n = Math.floor((piece.from_at - from) / size); n < CELLS; n += 1) {
        const [begin, stop] = [from + n * size, from + (n + 1) * size];
        const length = Math.min(stop, piece.to_at) - Math.max(begin, piece.from_at);
        const cell = lengths[n];
        if (length <= 0 || cell === undefined) break;
        cell[shown] += length;
      }
    }
  }
  return lengths.map(cellOf);
}

function cellOf(held: StatusDurations): Cell {
  const status = (["down", "degraded", "maintenance"] as const).find((each) => held[each] > 0);
  const total = held.up + held.maintenance + held.degraded + held.down;
  if (status === undefined) return { isMeasured: total > 0, trouble: null };
  const share = Math.ceil((held[status] / total) * SHARE_STEPS) / SHARE_STEPS;
  return { isMeasured: true, trouble: { status, share: Math.max(SHARE_MIN, share) } };
}

/** Neighbouring cells that are measured, as one. */
function runsOf(measured: readonly boolean[]): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  measured.forEach((isMeasured, n) => {
    const last = runs.at(-1);
    if (!isMeasured) return;
    if (last && last.from + last.length === n) last.length += 1;
    else runs.push({ from: n, length: 1 });
  });
  return runs;
}

/** null: too little was measured to say one. */
export function percentOf({ intervals, maintenance: { spans, is_excluded }, from, to }: Measured): number | null {
  const rule = { maintenance: spans, is_excluded, now: to };
  const range = { from_at: from, to_at: to };
  return computeShownUptime(sumStatusDurations(computeStatusDurations(intervals, [range], rule)));
}
