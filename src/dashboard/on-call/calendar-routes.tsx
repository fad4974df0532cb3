import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { notFound } from "../../contract/errors.ts";
import { findOnCall, type Span } from "../../domain/on-call.ts";
import { hasPermission } from "../../domain/roles.ts";
import { presentSchedule } from "../../features/on-call/present.ts";
import { readSchedule } from "../../features/on-call/schedules.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { dateIn } from "../../lib/zoned-days.ts";
import { toIso } from "../../platform/clock.ts";
import { requireApi } from "../call-api.ts";
import { listPeople } from "../people.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { Calendar, listDays, movedTo, Overrides, overrideKey, planOf, startOfDay } from "./calendar.tsx";
import type { Schedule } from "./form.ts";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid(), id: z.uuid() });
const ids = { params: { page: "page:see" } } as const;
const changed = { params, ids: { params: { page: "page" } }, permission: "oncall.write" } as const;
const DATE = /^20\d\d-\d\d-\d\d$/;
const query = z.object({ from: z.string().regex(DATE).pipe(z.iso.date()).optional().catch(undefined) });
const DateInput = z.string().regex(DATE).pipe(z.iso.date());
/** `user start end`, as the calendar writes it. */
const Dragged = z
  .string()
  .transform((text) => text.split(" "))
  .pipe(z.tuple([z.uuid(), z.iso.datetime(), z.iso.datetime()]));

interface Ids {
  page: string;
  id: string;
}
const pathOf = ({ page, id }: Ids) => `/app/on-call/${page}/schedules/${id}/calendar`;

export const endpoints = [
  view(
    { path: "/app/on-call/{page}/schedules/{id}/calendar", summary: "Calendar of a schedule", params, query, ids },
    (c, input) => showCalendar(c, input.params, input.query.from),
  ),

  action(
    { path: "/app/on-call/{page}/schedules/{id}/calendar/take-over", summary: "Override a day", ...changed },
    async (c, entered, named) => {
      const text = words("dashboard-alerts").on_call.notice;
      const date = DateInput.safeParse(entered.get("date"));
      if (!date.success) return redirectWithNotice(pathOf(named), text.no_day);
      const schedule = await loadSchedule(c, named);
      const day = {
        start_at: startOfDay(date.data, schedule.timezone),
        end_at: startOfDay(dayAfter(date.data), schedule.timezone),
      };
      await override(c, named, schedule, [{ add_user_id: entered.get("user_id"), ...day }]);
      return redirectWithNotice(`${pathOf(named)}?from=${date.data}`, text.override_added);
    },
  ),

  action(
    { path: "/app/on-call/{page}/schedules/{id}/calendar/take-back", summary: "Take an override back", ...changed },
    async (c, entered, named) => {
      const text = words("dashboard-alerts").on_call.notice;
      const schedule = await loadSchedule(c, named);
      const overrides = schedule.overrides.filter((each) => overrideKey(each) !== entered.get("override"));
      if (overrides.length === schedule.overrides.length) {
        return redirectWithNotice(pathOf(named), text.override_gone);
      }
      const path = `${API}/${named.page}/on-call/schedules/${named.id}`;
      await requireApi(c, { method: "PUT", path, body: { overrides } });
      return redirectWithNotice(pathOf(named), text.override_taken_back);
    },
  ),

  action(
    { path: "/app/on-call/{page}/schedules/{id}/calendar/move", summary: "Move a turn to another day", ...changed },
    async (c, entered, named) => {
      const text = words("dashboard-alerts").on_call.notice;
      const [dragged, date] = [Dragged.safeParse(entered.get("dragged")), DateInput.safeParse(entered.get("onto"))];
      if (!dragged.success || !date.success) return redirectWithNotice(pathOf(named), text.not_moved);
      const [user_id, start, end] = dragged.data;
      const turn = { user_id, start_at: Date.parse(start), end_at: Date.parse(end) };
      const notice = await move(c, named, { turn, date: date.data });
      return redirectWithNotice(pathOf(named), notice);
    },
  ),
];

const dayAfter = (date: string) => dateIn("UTC", Date.parse(date) + 36 * 3_600_000);

async function loadSchedule(c: AppContext, { page, id }: Ids): Promise<Schedule> {
  return presentSchedule(await readSchedule(c.var.ctx, { id: page, schedule_id: id }), c.var.now);
}

async function showCalendar(c: AppContext, named: Ids, from: string | undefined): Promise<Response> {
  const text = words("dashboard-alerts").on_call;
  const { membership, page } = await requireVisiblePage(c.var.ctx, named.page);
  const [schedule, people] = await Promise.all([loadSchedule(c, named), listPeople(c, named.page)]);
  if (schedule.status_page_id !== page.id) throw notFound("schedule");
  const plan = planOf(schedule);
  const days = listDays(plan, from ?? dateIn(plan.timezone, c.var.now));
  const may_change = hasPermission(membership, "oncall.write");
  return showView(c, {
    title: schedule.name,
    heading: text.calendar.heading({ schedule: schedule.name }),
    section: "on-call",
    isLive: true,
    isMeasured: true,
    trail: [{ href: `/app/on-call?page=${page.id}`, text: text.title }],
    children: (
      <>
        <Calendar
          name={schedule.name}
          path={pathOf(named)}
          plan={plan}
          days={days}
          people={people}
          now={c.var.now}
          may_change={may_change}
        />
        <div id="on-call-overrides" data-live>
          <Overrides path={pathOf(named)} schedule={schedule} people={people} now={c.var.now} may_change={may_change} />
        </div>
      </>
    ),
  });
}

type NewOverride = Span & { add_user_id: string | null };

async function override(c: AppContext, { page, id }: Ids, schedule: Schedule, added: readonly NewOverride[]) {
  // Those that are over decide nothing any more.
  const kept = schedule.overrides.filter(({ end_at }) => Date.parse(end_at) > c.var.now);
  const fresh = added.map(({ add_user_id, start_at, end_at }) => {
    return { add_user_id, start_at: toIso(start_at), end_at: toIso(end_at) };
  });
  const body = { overrides: [...kept, ...fresh] };
  await requireApi(c, { method: "PUT", path: `${API}/${page}/on-call/schedules/${id}`, body });
}

interface Move {
  turn: Span & { user_id: string };
  date: string;
}

/** A shift moves. A turn of a rotation is swapped with the turn of the person who is on call there. */
async function move(c: AppContext, named: Ids, { turn, date }: Move): Promise<string> {
  const text = words("dashboard-alerts").on_call.notice;
  const schedule = await loadSchedule(c, named);
  const plan = planOf(schedule);
  const shift = plan.shifts.find((each) => {
    return each.user_id === turn.user_id && each.start_at <= turn.start_at && each.end_at > turn.start_at;
  });
  if (shift) {
    const shifts = plan.shifts.map((each) => ({
      user_id: each.user_id,
      ...(each === shift ? movedTo(shift, date, plan.timezone) : each),
    }));
    const body = { shifts: shifts.map((each) => ({ ...each, ...isoOf(each) })) };
    await requireApi(c, { method: "PUT", path: `${API}/${named.page}/on-call/schedules/${named.id}`, body });
    return text.shift_moved;
  }
  const target = movedTo(turn, date, plan.timezone);
  const other = findOnCall(plan, target.start_at)?.user_id ?? null;
  const back = other === null || other === turn.user_id ? [] : [{ ...turn, add_user_id: other }];
  await override(c, named, schedule, [{ ...target, add_user_id: turn.user_id }, ...back]);
  return back.length > 0 ? text.turns_swapped : text.turn_moved;
}

const isoOf = ({ start_at, end_at }: Span) => ({ start_at: toIso(start_at), end_at: toIso(end_at) });
