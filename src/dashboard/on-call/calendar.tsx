import { listCalendar, type OnCallInterval, type Schedule as Plan, type Span } from "../../domain/on-call.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { dateIn, zonedClock } from "../../lib/zoned-days.ts";
import { toIso } from "../../platform/clock.ts";
import { Bands, inOrder, personClass } from "../components/bands.tsx";
import { DragForm } from "../components/drag-form.tsx";
import { PostButton } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import type { Option } from "../form-fields.ts";
import { dateFormat } from "../formats.ts";
import { words } from "../words.ts";
import type { Schedule } from "./form.ts";

export const DAYS_SHOWN = 14;

/** The schedule as the rules about it take it. */
export function planOf({ timezone, is_active, shifts, rotations, overrides }: Schedule): Plan {
  const span = (each: { start_at: string; end_at: string }): Span => {
    return { start_at: Date.parse(each.start_at), end_at: Date.parse(each.end_at) };
  };
  return {
    timezone,
    is_active,
    shifts: shifts.map((each) => ({ user_id: each.user_id, ...span(each) })),
    rotations: rotations.map((each) => ({ ...each, start_at: Date.parse(each.start_at) })),
    overrides: overrides.map((each) => ({ ...each, ...span(each) })),
  };
}

interface CalendarDay extends Span {
  /** 2026-11-22, in the zone of the schedule. */
  date: string;
  intervals: readonly OnCallInterval[];
}

/** Who is on call on each day of the schedule's zone; a shift over midnight is part of two days. */
export function listDays(plan: Plan, first: string): CalendarDay[] {
  const dates = Array.from({ length: DAYS_SHOWN + 1 }, (_, n) => shifted(first, n));
  const starts = dates.map((date) => startOfDay(date, plan.timezone));
  const [from = 0] = starts;
  const all = listCalendar(plan, { start_at: from, end_at: starts.at(-1) ?? from });
  return dates.slice(0, DAYS_SHOWN).map((date, n) => {
    const span = { start_at: starts[n] ?? from, end_at: starts[n + 1] ?? from };
    return {
      date,
      ...span,
      intervals: all.filter((each) => each.start_at < span.end_at && each.end_at > span.start_at),
    };
  });
}

export function startOfDay(date: string, timezone: string): number {
  return zonedClock(timezone).firstInstantOf(Date.parse(date));
}

/** The same turn on another day, at the same time of day. */
export function movedTo({ start_at, end_at }: Span, date: string, timezone: string): Span {
  const from = startOfDay(dateIn(timezone, start_at), timezone);
  const by = startOfDay(date, timezone) - from;
  return { start_at: start_at + by, end_at: end_at + by };
}

interface CalendarProps {
  /** Of the schedule. */
  name: string;
  path: string;
  plan: Plan;
  days: readonly CalendarDay[];
  people: readonly Option[];
  now: number;
  may_change: boolean;
}

/** What the days show, each turn once and whole. */
export const turnsOf = (days: readonly CalendarDay[]) => [...new Set(days.flatMap(({ intervals }) => intervals))];

export function Calendar({ name, path, plan, days, people, now, may_change }: CalendarProps) {
  const text = words("dashboard-alerts").on_call;
  const names = new Map(people.map(({ value, label }) => [value, label]));
  const turns = turnsOf(days);
  const order = inOrder(turns);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  return (
    <div data-drag-area>
      {may_change ? <DragForm action={`${path}/move`} /> : null}
      <p class="actions">
        <a class="button second" href={`${path}?from=${shifted(first.date, -DAYS_SHOWN)}`}>
          {text.calendar.earlier}
        </a>
        <a class="button second" href={`${path}?from=${shifted(last.date, 1)}`}>
          {text.calendar.later}
        </a>
        <span class="quiet">{text.times({ zone: plan.timezone })}</span>
      </p>
      <div id="on-call-plan" data-live>
        <Bands id="plan" name={name} days={days} turns={turns} names={names} now={now} zone={plan.timezone} />
      </div>
      <ol class="on-call-days card">
        {days.map((day) => (
          <li
            data-drop={day.end_at > now ? day.date : undefined}
            {...(now >= day.start_at && now < day.end_at ? { "aria-current": "date" } : {})}
          >
            <strong>{dateFormat(DAY_NAME).format(Date.parse(`${day.date}T12:00:00Z`))}</strong>
            {/* Whom somebody is about to choose beside it stays chosen. */}
            <ul id={`turns-${day.date}`} data-live>
              {day.intervals.map((interval) => (
                <Turn
                  interval={interval}
                  day={day}
                  names={names}
                  now={now}
                  may_change={may_change}
                  order={order}
                  zone={plan.timezone}
                />
              ))}
            </ul>
            {may_change && day.end_at > now ? <TakeOver path={path} day={day} people={people} /> : null}
          </li>
        ))}
      </ol>
      {may_change ? <p class="quiet">{text.calendar.drag}</p> : null}
    </div>
  );
}

type Override = Schedule["overrides"][number];

/** What distinguishes an override from the others of its schedule. */
export const overrideKey = ({ start_at, end_at, add_user_id, remove_user_id }: Override): string =>
  [start_at, end_at, add_user_id, remove_user_id].join(" ");

interface OverridesProps {
  path: string;
  schedule: Schedule;
  people: readonly Option[];
  now: number;
  may_change: boolean;
}

/** What differs from the plan, now and later; each can be taken back. */
export function Overrides({ path, schedule, people, now, may_change }: OverridesProps) {
  const text = words("dashboard-alerts").on_call;
  const ahead = schedule.overrides.filter(({ end_at }) => Date.parse(end_at) > now);
  if (ahead.length === 0) return null;
  const nameOf = (id: string) => people.find(({ value }) => value === id)?.label ?? text.member;
  const personOf = ({ add_user_id }: Override) => (
    <span dir="auto">{add_user_id === null ? text.calendar.nobody : nameOf(add_user_id)}</span>
  );
  return (
    <section aria-labelledby="overrides">
      <h2 id="overrides">{text.calendar.overrides}</h2>
      <ul class="rows card">
        {ahead.map((override) => (
          <li class="row">
            <span>
              {override.remove_user_id === null
                ? personOf(override)
                : text.calendar.instead.parts({
                    person: personOf(override),
                    other: <span dir="auto">{nameOf(override.remove_user_id)}</span>,
                  })}{" "}
              <span class="quiet">
                {text.calendar.span.parts({
                  from: <ExactTime at={Date.parse(override.start_at)} />,
                  to: <ExactTime at={Date.parse(override.end_at)} />,
                })}
              </span>
            </span>
            {may_change ? (
              <PostButton
                action={`${path}/take-back`}
                label={text.calendar.take_back}
                fields={{ override: overrideKey(override) }}
              />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

const DAY_NAME = {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
} as const;
const shifted = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

interface TurnProps {
  interval: OnCallInterval;
  day: CalendarDay;
  names: ReadonlyMap<string, string>;
  now: number;
  may_change: boolean;
  order: readonly (string | null)[];
  zone: string;
}

function Turn({ interval, day, names, now, may_change, order, zone }: TurnProps) {
  const text = words("dashboard-alerts").on_call;
  const { user_id } = interval;
  const start_at = Math.max(interval.start_at, day.start_at);
  const end_at = Math.min(interval.end_at, day.end_at);
  const clock = dateFormat({ timeStyle: "short", timeZone: zone });
  const time =
    start_at === day.start_at && end_at === day.end_at
      ? text.calendar.all_day
      : `${clock.format(start_at)}–${clock.format(end_at)}`;
  const isNow = now >= start_at && now < end_at;
  if (user_id === null) {
    return <li class="turn is-gap">{text.calendar.gap.parts({ time: <span>{time}</span> })}</li>;
  }
  return (
    <li
      class={`turn ${personClass(order, user_id)}`}
      data-drag={may_change && end_at > now ? `${user_id} ${toIso(start_at)} ${toIso(end_at)}` : undefined}
    >
      <span dir="auto">{names.get(user_id) ?? text.member}</span> <span>{time}</span>
      {isNow ? <span class="tag">{text.calendar.now}</span> : null}
    </li>
  );
}

function TakeOver({ path, day, people }: { path: string; day: CalendarDay; people: readonly Option[] }) {
  const text = words("dashboard-alerts").on_call;
  return (
    <form method="post" action={`${path}/take-over`} class="inline">
      <input type="hidden" name="date" value={day.date} />
      <select name="user_id" aria-label={text.calendar.take_over({ date: day.date })}>
        {people.map(({ value, label }) => (
          <option value={value}>{label}</option>
        ))}
      </select>{" "}
      <button type="submit" class="second">
        {text.override}
      </button>
    </form>
  );
}
