import type { PagePayload, PublicMonitor, PublicStatus } from "../contract/public-page.ts";
import { computeUptimePercentage, type StatusDurations, sumStatusDurations } from "../domain/uptime.ts";
import { dateIn } from "../lib/zoned-days.ts";
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
  /** Date of the first day of the bar. */
  first_day: string;
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
  const incidentsOf = incidentsByDay(monitor, payload);
  const describeDay = (n: number) => {
    const date = payload.days[n] ?? "";
    const said = [describeTrouble(tallies[n]), ...(incidentsOf.get(date) ?? [])].filter((text) => text !== "");
    return said.length === 0 ? null : `${formats.date(date).text}: ${said.join("; ")}`;
  };
  const isPlain = monitor.status === "up" || monitor.status === "pending";
  return {
    name: monitor.name,
    status: monitor.status,
    label: STATUS_LABELS[monitor.status],
    since: isPlain ? null : formats.moment(monitor.status_since),
    uptime,
    days: tallies.length,
    runs: toRuns(tallies, describeDay),
    first_day: payload.days[0] ?? "",
    bars_label: `Last ${tallies.length} days: ${uptime}, ${countDays(troubled.length)} with problems`,
    troubled,
  };
}

/** What happens to it now is planned, and says nothing about how it is. */
export function duringMaintenance(view: PublicMonitorView): PublicMonitorView {
  return { ...view, status: "maintenance", label: "Under maintenance", since: null };
}

/** Titles of incidents that affected the monitor, by the date on which they started. */
function incidentsByDay(monitor: PublicMonitor, { incidents, page }: PagePayload): Map<string, string[]> {
  const affecting = incidents.filter(({ monitor_ids }) => monitor_ids.includes(monitor.id));
  const byDay = Map.groupBy(affecting, ({ started_at }) => dateIn(page.timezone, started_at));
  return new Map([...byDay].map(([date, started]) => [date, started.map(({ title }) => title)]));
}

function toRuns(tallies: StatusDurations[], describeDay: (day: number) => string | null): BarRun[] {
  const runs: BarRun[] = [];
  for (const [n, tally] of tallies.entries()) {
    const state = stateOfDay(tally);
    const last = runs.at(-1);
    const hint = describeDay(n);
    if (last?.state === state && last.hint === null && hint === null) last.length += 1;
    else runs.push({ state, first: n, length: 1, hint });
  }
  return runs;
}

function stateOfDay({ up, degraded, down }: StatusDurations): DayState {
  if (down > 0) return "down";
  if (degraded > 0) return "degraded";
  return up > 0 ? "up" : "none";
}

function describeTrouble(tally: StatusDurations | undefined): string {
  const { degraded, down } = tally ?? { degraded: 0, down: 0 };
  const parts = [];
  if (down > 0) parts.push(`down for ${formatDuration(down)}`);
  if (degraded > 0) parts.push(`degraded for ${formatDuration(degraded)}`);
  return parts.join(", ");
}

function countDays(days: number): string {
  if (days === 0) return "no day";
  return days === 1 ? "1 day" : `${days} days`;
}
