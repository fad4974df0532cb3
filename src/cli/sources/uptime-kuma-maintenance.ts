import type { MaintenanceCreate } from "../../contract/maintenance.ts";
import { isTimeZone, zonedClock } from "../../lib/zoned-days.ts";
import type { Draft, ImportedMaintenance, Remarks } from "./draft.ts";
import type { ForeignRecord } from "./record.ts";
import { instantOf, titleOf } from "./status-components.ts";
import type { Tables } from "./tables.ts";

/**
 * Maintenance and incidents of Uptime Kuma. A window there is of monitors and is shown on pages that are named beside; here
 * it is of one page, by whose clock it recurs.
 * https://github.com/louislam/uptime-kuma/blob/master/server/model/maintenance.js
 */

const DAY_MS = 86_400_000;
/** Days to look for the first occurrence that is not over: more than any month has, and a leap year. */
const DAYS_AHEAD = 400;

interface Known {
  /** Keys of monitors and slugs of pages by their ids there. */
  keys: ReadonlyMap<string, string>;
  pages: ReadonlyMap<string, string>;
  /** By the server's setting. */
  timezone: string;
  now: number;
}

export function addMaintenance(draft: Draft, tables: Tables, known: Known): void {
  const monitors = linked(tables.rows("monitor_maintenance"), "monitor_id");
  const pages = linked(tables.rows("maintenance_status_page"), "status_page_id");
  const members = membersOf(tables.rows("monitor"));
  for (const row of tables.rows("maintenance")) {
    const [id, title] = [row.text("id") ?? "", row.text("title") ?? "unnamed"];
    const subject = `maintenance "${title}"`;
    const remarks = draft.name(row, subject);
    const zone = zoneOf(row, known, remarks);
    const plans = plansOf(row, { zone, now: known.now }, remarks);
    if (typeof plans === "string") {
      draft.leave(row, subject, plans);
      continue;
    }
    row.ignore(
      "id",
      "user_id",
      "cron",
      "last_start_date",
      "start_date",
      "end_date",
      "start_time",
      "end_time",
      "duration",
    );
    const affected = (monitors.get(id) ?? []).flatMap((monitor) => withMembers(monitor, members));
    const byPage = placesOf(draft, { affected, known, remarks });
    const shown = (pages.get(id) ?? []).map((page) => known.pages.get(page));
    const description = row.text("description");
    for (const [page, keys] of byPage) {
      const zoneHere = draft.manifest.status_pages[page]?.timezone ?? "UTC";
      const recurs = plans.some(({ recurrence_type }) => recurrence_type !== undefined);
      if (recurs && zoneHere !== zone) remarks.changes(`recurs by the clock of its page, ${zoneHere}, not of ${zone}`);
      for (const [n, plan] of plans.entries()) {
        const common = { key: `maintenance-${id}-${page}-${n + 1}`, title: titleOf(title, remarks), status_page: page };
        const visibility = shown.includes(page) ? {} : { is_public: false };
        draft.addMaintenance(
          { ...common, ...visibility, ...plan, description: description ?? "", monitors: [...new Set(keys)] },
          remarks,
        );
      }
    }
  }
}

/** What it is linked to, by its id. */
function linked(rows: readonly ForeignRecord[], column: string): Map<string, string[]> {
  const links = new Map<string, string[]>();
  for (const row of rows) {
    const [id, other] = [row.text("maintenance_id") ?? "", row.text(column) ?? ""];
    links.set(id, [...(links.get(id) ?? []), other]);
    row.ignore("id");
  }
  return links;
}

function membersOf(rows: readonly ForeignRecord[]): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const row of rows) {
    const parent = row.text("parent");
    if (parent !== undefined) members.set(parent, [...(members.get(parent) ?? []), row.text("id") ?? ""]);
  }
  return members;
}

/** Work on a group is work on all in it, also where a file leads in a circle. */
function withMembers(id: string, members: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([id]);
  for (const each of found) for (const member of members.get(each) ?? []) found.add(member);
  return [...found];
}

/** Keys of monitors by the page that they are on. */
function placesOf(
  draft: Draft,
  { affected, known, remarks }: { affected: readonly string[]; known: Known; remarks: Remarks },
): Map<string, string[]> {
  const places = new Map<string, string[]>();
  const homeless: string[] = [];
  for (const id of affected) {
    const key = known.keys.get(id) ?? "";
    const monitor = draft.manifest.monitors[key];
    if (!monitor) continue;
    const page = monitor.status_page;
    if (!page) homeless.push(String(monitor.name));
    else places.set(page, [...(places.get(page) ?? []), key]);
  }
  if (homeless.length > 0) remarks.stays(`its monitors on no page, of which a window is here: ${homeless.join(", ")}`);
  else if (places.size === 0) remarks.stays("none of its monitors comes");
  return places;
}

function zoneOf(row: ForeignRecord, { timezone }: Known, remarks: Remarks): string {
  const zone = row.text("timezone");
  if (zone === undefined || zone === "SAME_AS_SERVER") return timezone;
  if (isTimeZone(zone)) return zone;
  remarks.changes(`its time zone "${zone}" is not known: its times are those of ${timezone}`);
  return timezone;
}

type Plan = Pick<ImportedMaintenance, "start_time" | "end_time"> &
  Partial<
    Pick<
      MaintenanceCreate,
      "recurrence_type" | "recurrence_interval" | "recurrence_day_of_week" | "recurrence_day_of_month"
    >
  > & { recurrence_end_date?: string };

interface When {
  zone: string;
  now: number;
}

interface Rule {
  /** Local, in minutes of the day. */
  at: number;
  every: { days: number } | { weekday: number } | { day: number };
}

/** A window for each weekday or day of the month; the reason where there is none. */
function plansOf(row: ForeignRecord, when: When, remarks: Remarks): Plan[] | string {
  const strategy = row.text("strategy") ?? "single";
  const clock = zonedClock(when.zone);
  const instant = (column: string) => {
    const local = Date.parse(`${(row.text(column) ?? "").replace(" ", "T").replace(/Z$/, "")}Z`);
    return Number.isNaN(local) ? undefined : clock.instantOf(local);
  };
  if (row.flag("active") === false) return "it is switched off";
  const [start, end] = [instant("start_date"), instant("end_date")];
  if (strategy === "single") {
    row.ignore("weekdays", "days_of_month", "interval_day", "timezone");
    if (start === undefined || end === undefined) return "it has no times: plan it anew";
    return [{ start_time: iso(start), end_time: iso(end) }];
  }
  if (strategy === "manual") return "it begins and ends by hand: plan it here when it begins";
  const rules = rulesOf(row, strategy, remarks);
  if (typeof rules === "string") return rules;
  const seconds = row.number("duration") || lengthOf(row);
  const plans = rules.flatMap((rule) => {
    const first = firstOf(rule, { from: start ?? when.now, seconds, when });
    if (first === undefined || (end !== undefined && first > end)) return [];
    const until = end === undefined ? {} : { recurrence_end_date: iso(end) };
    return [{ start_time: iso(first), end_time: iso(first + seconds * 1000), ...recurrenceOf(rule), ...until }];
  });
  return plans.length > 0 ? plans : "no occurrence of it is left";
}

const iso = (instant: number) => new Date(instant).toISOString();

function recurrenceOf({ every }: Rule): Partial<Plan> {
  if ("days" in every) return { recurrence_type: "daily", recurrence_interval: every.days };
  if ("weekday" in every) return { recurrence_type: "weekly", recurrence_day_of_week: every.weekday };
  return { recurrence_type: "monthly", recurrence_day_of_month: every.day };
}

const minutesOf = (text: string | undefined) => {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})/.exec(text ?? "") ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
};

/** Past midnight where the end is before the beginning. */
function lengthOf(row: ForeignRecord): number {
  const [from, to] = [minutesOf(row.text("start_time")) ?? 0, minutesOf(row.text("end_time")) ?? 0];
  return ((to - from + 1440) % 1440) * 60;
}

function rulesOf(row: ForeignRecord, strategy: string, remarks: Remarks): Rule[] | string {
  if (strategy === "cron") {
    row.ignore("weekdays", "days_of_month", "interval_day");
    const cron = row.text("cron") ?? "";
    return rulesOfCron(cron) ?? `its schedule "${cron}" is neither daily nor weekly nor monthly: plan it anew`;
  }
  const at = minutesOf(row.text("start_time"));
  if (at === undefined) return "it has no times: plan it anew";
  const [weekdays, days, interval] = [
    listOf(row, "weekdays"),
    listOf(row, "days_of_month"),
    row.number("interval_day"),
  ];
  switch (strategy) {
    case "recurring-interval":
      return [{ at, every: { days: interval ?? 1 } }];
    case "recurring-weekday":
      return weekdays.map((day) => ({ at, every: { weekday: Number(day) % 7 } }));
    case "recurring-day-of-month":
      return days.flatMap((day): Rule[] => {
        const number = day === "lastDay1" ? 31 : Number(day);
        if (Number.isInteger(number)) return [{ at, every: { day: number } }];
        remarks.stays(`its day "${day}": here only the last day of a month is counted from its end`);
        return [];
      });
    default:
      return `windows by "${strategy}" have no counterpart`;
  }
}

function listOf(row: ForeignRecord, column: string): (string | number)[] {
  try {
    const parsed: unknown = JSON.parse(row.text(column) ?? "[]");
    return Array.isArray(parsed) ? parsed.filter((item) => ["string", "number"].includes(typeof item)) : [];
  } catch {
    return [];
  }
}

const CRON = /^(\d{1,2}) (\d{1,2}) (\*|[\d,]+|\*\/\d+) \* (\*|[\d,]+)$/;

function rulesOfCron(cron: string): Rule[] | null {
  const [, minute, hour, days = "*", weekdays = "*"] = CRON.exec(cron.trim()) ?? [];
  if (hour === undefined || (days !== "*" && weekdays !== "*") || days.startsWith("*/")) return null;
  const at = Number(hour) * 60 + Number(minute);
  if (days !== "*") return days.split(",").map((day) => ({ at, every: { day: Number(day) } }));
  if (weekdays !== "*") return weekdays.split(",").map((day) => ({ at, every: { weekday: Number(day) % 7 } }));
  return [{ at, every: { days: 1 } }];
}

/** The first occurrence that is not over: what is over has done its work. */
function firstOf(
  { at, every }: Rule,
  { from, seconds, when }: { from: number; seconds: number; when: When },
): number | undefined {
  const clock = zonedClock(when.zone);
  const midnight = Math.floor(clock.toLocal(from) / DAY_MS) * DAY_MS;
  const step = "days" in every ? every.days : 1;
  const behind = Math.max(0, Math.floor((when.now - from) / DAY_MS / step) - 1) * step;
  for (let day = behind; day <= behind + DAYS_AHEAD * step; day += step) {
    const local = midnight + day * DAY_MS;
    const date = new Date(local);
    const isLast = new Date(local + DAY_MS).getUTCDate() === 1;
    const isDay =
      "days" in every ||
      ("weekday" in every
        ? date.getUTCDay() === every.weekday
        : date.getUTCDate() === every.day || (isLast && date.getUTCDate() < every.day));
    const start = clock.instantOf(local + at * 60_000);
    if (isDay && start >= from && start + seconds * 1000 > when.now) return start;
  }
  return undefined;
}

/** What a page has pinned is open, and opening it notifies those who are on call; what it had pinned is over. */
export function addIncidents(draft: Draft, tables: Tables, pages: ReadonlyMap<string, string>): void {
  for (const row of tables.rows("incident")) {
    const title = row.text("title") ?? "unnamed";
    const subject = `incident "${title}"`;
    const page = pages.get(row.text("status_page_id") ?? "");
    const started = instantOf(row.text("created_date"));
    const isPinned = row.flag("pin") !== false && row.flag("active") !== false;
    if (isPinned || page === undefined || started === undefined) {
      const reason = isPinned
        ? "it is pinned, so not over: open it here, which notifies those who are on call"
        : "it is of no page";
      draft.leave(row, subject, started === undefined && !isPinned ? "it has no time" : reason);
      continue;
    }
    const remarks = draft.name(row, subject);
    const ended = instantOf(row.text("last_updated_date")) ?? started;
    row.ignore("id", "user_id");
    draft.addIncident({
      title: titleOf(title, remarks),
      description: row.text("content") ?? "",
      severity: row.text("style") === "danger" ? "major" : "minor",
      started_at: started,
      resolved_at: ended < started ? started : ended,
      status_page: page,
      monitors: [],
    });
  }
}
