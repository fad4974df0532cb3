import { regionName } from "../contract/monitor-values.ts";
import type { PagePayload, PublicMonitor, PublicStatus } from "../contract/public-page.ts";
import { computeShownUptime, type StatusDurations, sumStatusDurations } from "../domain/uptime.ts";
import type { PageTexts } from "../language/texts.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { talliesUntil } from "./extend-to-now.ts";
import type { Formats, Lasting, Moment } from "./format.ts";

/** What is shown of one monitor, in words: its status and its bar of days. */

export type DayState = "up" | "degraded" | "down" | "maintenance" | "none";

/** Adjoining days of one state; trouble stands alone, because each such day has something to say: its date, then lines. */
export interface BarRun {
  state: DayState;
  first: number;
  length: number;
  /** How much of the day it lasted, in steps, so that a picture seldom changes while trouble goes on. */
  share: number;
  hint: string | null;
}

export interface PublicMonitorView {
  id: string;
  name: string;
  status: PublicStatus | "maintenance";
  label: string;
  since: Lasting | null;
  /** From where it is not reached, where others reach it; null: nothing is to be said. */
  trouble: string | null;
  /** From where it is checked; null where the page does not say. */
  places: string | null;
  /** With the period that it covers: "99.98% in 90 days". */
  uptime: string;
  days: number;
  runs: BarRun[];
  bars_label: string;
  /** Date of the first day of the bar. */
  first_day: string;
  troubled: { date: Moment; text: string }[];
}

/** Of a day with any trouble, so that a minute of it is seen. */
const SHARE_MIN = 0.4;
const SHARE_STEPS = 5;

/** In which language and zone a page is read. */
export interface Wording {
  texts: PageTexts;
  formats: Formats;
}

export function buildMonitorView(
  monitor: PublicMonitor,
  payload: PagePayload,
  now: number,
  { texts, formats }: Wording,
): PublicMonitorView {
  const words = texts.monitor;
  const tallies = talliesUntil(monitor, payload, now);
  const describe = (tally: StatusDurations | undefined) => describeTrouble(tally, { texts, formats });
  const describePlanned = (tally: StatusDurations | undefined) =>
    tally && tally.maintenance > 0 ? words.maintenance_for({ duration: formats.duration(tally.maintenance) }) : "";
  const percentage = computeShownUptime(sumStatusDurations(tallies));
  const measured_ms = Math.min(now - monitor.measured_since, tallies.length * DAY_MS);
  // A figure of less than an hour says more about chance than about the service.
  const share = percentage === null || measured_ms < HOUR_MS ? null : formats.percentage(percentage);
  const span =
    measured_ms < DAY_MS ? formats.age(measured_ms) : words.span_days({ n: Math.floor(measured_ms / DAY_MS) });
  const troubled = tallies
    .map((tally, n) => ({ day: payload.days[n] ?? "", text: describe(tally) }))
    .filter(({ text }) => text !== "")
    .map(({ day, text }) => ({ date: formats.date(day), text }))
    .reverse();
  const incidentsOf = incidentsByDay(monitor, payload);
  const describeDay = (n: number) => {
    const date = payload.days[n] ?? "";
    const said = [describe(tallies[n]), describePlanned(tallies[n]), ...(incidentsOf.get(date) ?? [])].filter(
      (text) => text !== "",
    );
    if (said.length === 0) return null;
    const share = tallies[n] === undefined ? null : computeShownUptime(tallies[n]);
    const known = share === null ? [] : [words.uptime({ percentage: formats.percentage(share) })];
    return [formats.date(date).text, ...known, ...said].join("\n");
  };
  const isPlain = monitor.status === "up" || monitor.status === "pending";
  return {
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    label: words.statuses[monitor.is_resting ? "resting" : monitor.status],
    since: isPlain ? null : formats.lasting(monitor.status_since, now),
    ...placesInWords(monitor, texts),
    uptime: share === null ? words.no_data : words.uptime_in({ percentage: share, span }),
    days: tallies.length,
    runs: toRuns(tallies, describeDay),
    first_day: payload.days[0] ?? "",
    bars_label: words.bars({
      days: tallies.length,
      uptime: share === null ? words.no_data : words.uptime({ percentage: share }),
      problems: troubled.length,
    }),
    troubled,
  };
}

/** Choice: regions by their English names, because the runtime knows them in no language. */
function placesInWords({ places = [] }: PublicMonitor, { monitor }: PageTexts) {
  const list = (shown: typeof places) => shown.map(({ name }) => regionName(name)).join(", ");
  const down = places.filter(({ is_down }) => is_down);
  const isPartial = down.length > 0 && down.length < places.length;
  return {
    trouble: isPartial ? monitor.unreachable_from({ places: list(down) }) : null,
    places: places.length === 0 ? null : monitor.checked_from({ places: list(places) }),
  };
}

/** What happens to it now is planned, and says nothing about how it is. */
export function duringMaintenance(view: PublicMonitorView, { monitor }: PageTexts): PublicMonitorView {
  return { ...view, status: "maintenance", label: monitor.statuses.maintenance, since: null };
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
    else runs.push({ state, first: n, length: 1, share: shareOfDay(tally, state), hint });
  }
  return runs;
}

function stateOfDay({ up, degraded, down, maintenance }: StatusDurations): DayState {
  if (down > 0) return "down";
  if (degraded > 0) return "degraded";
  if (maintenance > 0) return "maintenance";
  return up > 0 ? "up" : "none";
}

function shareOfDay(tally: StatusDurations, state: DayState): number {
  if (state === "up" || state === "none") return 1;
  const share = tally[state] / (tally.up + tally.degraded + tally.down + tally.maintenance);
  return Math.max(SHARE_MIN, Math.ceil(share * SHARE_STEPS) / SHARE_STEPS);
}

function describeTrouble(tally: StatusDurations | undefined, { texts, formats }: Wording): string {
  const { degraded, down } = tally ?? { degraded: 0, down: 0 };
  const parts = [];
  if (down > 0) parts.push(texts.monitor.down_for({ duration: formats.duration(down) }));
  if (degraded > 0) parts.push(texts.monitor.degraded_for({ duration: formats.duration(degraded) }));
  return parts.join(", ");
}
