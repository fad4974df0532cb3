import { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import { RECURRENCE_TYPES } from "../../contract/maintenance.ts";
import { listOccurrences } from "../../domain/maintenance.ts";
import type { Recurrence } from "../../domain/recurrence.ts";
import { listMyMaintenance } from "../../features/maintenance/service.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { dateIn, monthOf, zonedClock } from "../../lib/zoned-days.ts";
import { Preview } from "../components/preview.tsx";
import { ExactTime } from "../components/time.tsx";
import { type FormField, readBody } from "../form-fields.ts";
import { dateFormat } from "../formats.ts";
import { addressWith } from "../lists.ts";
import { words } from "../words.ts";

const WINDOWS_MAX = 200;
const OCCURRENCES_MAX = 62;
const PREVIEWED = 6;
const PREVIEW_MS = 10 * 370 * DAY_MS;
const WEEK = 7;

interface Entry {
  id: string;
  title: string;
  start_at: number;
  end_at: number;
}

/** A calendar month of the reader's time zone, in which the list beside it shows its times, too. */
export interface Month {
  zone: string;
  /** Its first day and that of the next month, as the clock of the zone reads them. */
  from: number;
  to: number;
  entries: readonly Entry[];
  /** The status page that it is of; of all where it is absent. */
  page: string | undefined;
}

interface WantedMonth {
  month: string | undefined;
  zone: string;
  /** Of all where it is absent. */
  status_page_id: string | undefined;
}

/** The filter of a list that is of all status pages until one is chosen. */
export const onPage = (id: string | undefined) => (id === undefined ? {} : { status_page_id: id });

/** Every occurrence that touches the month, those of repeating windows included. */
export async function loadCalendar(ctx: RequestScope, { month, zone, status_page_id }: WantedMonth): Promise<Month> {
  const from = Date.parse(`${month ?? monthOf(dateIn(zone, ctx.now))}-01T00:00:00Z`);
  const to = startOfMonth(from, 1);
  const clock = zonedClock(zone);
  const range = { from: clock.firstInstantOf(from), to: clock.firstInstantOf(to), max: OCCURRENCES_MAX };
  const { windows } = await listMyMaintenance(ctx, onPage(status_page_id), { limit: WINDOWS_MAX, offset: 0 });
  const entries = windows.flatMap((window) =>
    listOccurrences({ ...window, done_until: 0 }, window.timezone, range).map(({ start_at, end_at }) => ({
      id: window.id,
      title: window.title,
      start_at,
      end_at,
    })),
  );
  return { zone, from, to, page: status_page_id, entries: entries.sort((a, b) => a.start_at - b.start_at) };
}

function startOfMonth(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

const MONTH_NAME = { month: "long", year: "numeric", timeZone: "UTC" } as const;
const DAY_NAME = { weekday: "short", timeZone: "UTC" } as const;
const monthAddress = (at: number, page: string | undefined) =>
  addressWith("/app/maintenance", { month: new Date(at).toISOString().slice(0, 7), page });
/** Monday first. */
const weekdayOf = (at: number) => (new Date(at).getUTCDay() + 6) % WEEK;

export function Calendar({ month: { zone, from, to, page, entries }, now }: { month: Month; now: number }) {
  const text = words("dashboard-incidents").maintenance.calendar;
  const clock = zonedClock(zone);
  const time = dateFormat({ timeStyle: "short", timeZone: zone });
  const first = from - weekdayOf(from) * DAY_MS;
  const count = Math.ceil((to - first) / DAY_MS / WEEK) * WEEK;
  const days = Array.from({ length: count }, (_, n) => first + n * DAY_MS);
  const weeks = Array.from({ length: count / WEEK }, (_, n) => days.slice(n * WEEK, (n + 1) * WEEK));
  return (
    <section class="card" aria-labelledby="calendar">
      <div class="row">
        <h2 id="calendar">{dateFormat(MONTH_NAME).format(from)}</h2>
        <span class="quiet">{text.times({ zone })}</span>
        <span class="actions">
          <a class="button second" href={monthAddress(startOfMonth(from, -1), page)}>
            {text.previous}
          </a>
          <a class="button second" href={monthAddress(to, page)}>
            {text.next}
          </a>
        </span>
      </div>
      <div class="table" tabindex={0}>
        <table class="calendar">
          <caption class="unseen">{text.caption({ zone })}</caption>
          <thead>
            <tr>
              {days.slice(0, WEEK).map((day) => (
                <th scope="col">{dateFormat(DAY_NAME).format(day)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr>
                {week.map((day) => (
                  <Day
                    day={day}
                    span={{ from: clock.firstInstantOf(day), to: clock.firstInstantOf(day + DAY_MS) }}
                    isOther={day < from || day >= to}
                    now={now}
                    time={time}
                    entries={entries}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface DayProps {
  /** Its midnight as the clock reads it, and its instants. */
  day: number;
  span: { from: number; to: number };
  /** Of the month before or after. */
  isOther: boolean;
  now: number;
  time: Intl.DateTimeFormat;
  entries: readonly Entry[];
}

function Day({ day, span: { from, to }, isOther, now, time, entries }: DayProps) {
  const touching = isOther ? [] : entries.filter(({ start_at, end_at }) => start_at < to && end_at > from);
  const isToday = now >= from && now < to;
  return (
    <td class={isOther ? "is-other" : ""} {...(isToday ? { "aria-current": "date" } : {})}>
      <span class="quiet">{new Date(day).getUTCDate()}</span>
      {touching.map(({ id, title, start_at }) => (
        <a href={`/app/maintenance/${id}`} dir="auto">
          {start_at >= from ? `${time.format(start_at)} ` : ""}
          {title}
        </a>
      ))}
    </td>
  );
}

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const Planned = z.object({
  start_time: instant,
  end_time: instant,
  recurrence_type: z.enum(RECURRENCE_TYPES).nullish(),
  recurrence_interval: z.number().int().min(1).nullish(),
  recurrence_end_date: instant.nullish(),
});

interface Planning {
  description: string | null;
  /** null: what was entered is no plan yet. */
  occurrences: readonly { start_at: number; end_at: number }[] | null;
}

/** What was entered would mean, before it is saved. */
export function previewOf(fields: readonly FormField[], entered: URLSearchParams, timezone: string): Planning {
  const description = entered.get("description");
  const parsed = Planned.safeParse(readBody(fields, entered));
  if (!parsed.success || parsed.data.end_time <= parsed.data.start_time) return { description, occurrences: null };
  const { start_time, end_time, recurrence_type, recurrence_interval, recurrence_end_date } = parsed.data;
  const rule: Recurrence = {
    start_time,
    end_time,
    recurrence_type: recurrence_type ?? "none",
    recurrence_interval: recurrence_interval ?? 1,
    recurrence_end_date: recurrence_end_date ?? null,
    recurrence_day_of_week: null,
    recurrence_day_of_month: null,
  };
  const window = { ...rule, cancelled_starts: [], done_until: 0 };
  const range = { from: start_time, to: start_time + PREVIEW_MS, max: PREVIEWED };
  return { description, occurrences: listOccurrences(window, timezone, range) };
}

export function Plan({ description, occurrences }: Planning) {
  const text = words("dashboard-incidents").maintenance.plan;
  return (
    <>
      {description?.trim() ? <Preview text={description} /> : null}
      <div class="banner is-info" role="status">
        {occurrences === null ? (
          text.incomplete
        ) : (
          <>
            <p>
              {occurrences.length < PREVIEWED ? text.occurrences({ n: occurrences.length }) : text.first_occurrences}
            </p>
            <ul>
              {occurrences.map(({ start_at, end_at }) => (
                <li>{text.occurrence.parts({ start: <ExactTime at={start_at} />, end: <ExactTime at={end_at} /> })}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </>
  );
}
