import type { PagePayload, PublicMonitor, PublicStatus } from "../contract/public-page.ts";
import { computeUptimePercentage, type StatusDurations, sumStatusDurations } from "../domain/uptime.ts";
import { talliesUntil } from "./extend-to-now.ts";
import { type Formats, formatDuration, formatPercentage, type Moment } from "./format.ts";

/** What is shown of one monitor, in words: its status and its bar of days. */

export type DayState = "up" | "degraded" | "down" | "none";

/** Adjoining days of one state; trouble stands alone, because each such day has something to say. */
export interface BarRun {
  state: DayState;
  first: number;
  length: number;
  hint: string | null;
}

export interface PublicMonitorView {
  name: string;
  status: PublicStatus | "maintenance";
  label: string;
  since: Moment | null;
  uptime: string;
  days: number;
  runs: BarRun[];
  bars_label: string;
  troubled: { date: Moment; text: string }[];
}

const STATUS_LABELS: Record<PublicStatus, string> = {
  up: "Operational",
  degraded: "Degraded",
  down: "Down",
  unknown: "No data",
  pending: "No data yet",
};

export function buildMonitorView(
  monitor: PublicMonitor,
  payload: PagePayload,
  now: number,
  formats: Formats,
): PublicMonitorView {
  const tallies = talliesUntil(monitor, payload, now);
  const percentage = computeUptimePercentage(sumStatusDurations(tallies));
  const uptime = percentage === null ? "No data yet" : `${formatPercentage(percentage)} uptime`;
  const troubled = tallies
    .map((tally, n) => ({ day: payload.days[n] ?? "", text: describeTrouble(tally) }))
    .filter(({ text }) => text !== "")
    .map(({ day, text }) => ({ date: formats.date(day), text }))
    .reverse();
  const isPlain = monitor.status === "up" || monitor.status === "pending";
  return {
    name: monitor.name,
    status: monitor.status,
    label: STATUS_LABELS[monitor.status],
    since: isPlain ? null : formats.moment(monitor.status_since),
    uptime,
    days: tallies.length,
    runs: toRuns(tallies, (n, text) => `${formats.date(payload.days[n] ?? "").text}: ${text}`),
    bars_label: `Last ${tallies.length} days: ${uptime}, ${countDays(troubled.length)} with problems`,
    troubled,
  };
}

/** What happens to it now is planned, and says nothing about how it is. */
export function duringMaintenance(view: PublicMonitorView): PublicMonitorView {
  return { ...view, status: "maintenance", label: "Under maintenance", since: null };
}

function toRuns(tallies: StatusDurations[], hint: (day: number, text: string) => string): BarRun[] {
  const runs: BarRun[] = [];
  for (const [n, tally] of tallies.entries()) {
    const state = stateOfDay(tally);
    const last = runs.at(-1);
    const text = describeTrouble(tally);
    if (last?.state === state && text === "") last.length += 1;
    else runs.push({ state, first: n, length: 1, hint: text === "" ? null : hint(n, text) });
  }
  return runs;
}

function stateOfDay({ up, degraded, down }: StatusDurations): DayState {
  if (down > 0) return "down";
  if (degraded > 0) return "degraded";
  return up > 0 ? "up" : "none";
}

function describeTrouble({ degraded, down }: StatusDurations): string {
  const parts = [];
  if (down > 0) parts.push(`down for ${formatDuration(down)}`);
  if (degraded > 0) parts.push(`degraded for ${formatDuration(degraded)}`);
  return parts.join(", ");
}

function countDays(days: number): string {
  if (days === 0) return "no day";
  return days === 1 ? "1 day" : `${days} days`;
}
