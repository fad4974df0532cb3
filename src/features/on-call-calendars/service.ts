import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import { findCalendarFeed, listSchedulesOfUser, listTeamNames } from "../../data/calendar-feeds/read.ts";
import { deleteCalendarFeed, upsertCalendarFeed } from "../../data/calendar-feeds/write.ts";
import type { OnCallScheduleRecord } from "../../data/on-call/read.ts";
import { listCalendar } from "../../domain/on-call.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { type CalendarEvent, renderCalendarText } from "../../lib/icalendar.ts";
import { isWellFormedMachineToken, newMachineToken, sha256Hex } from "../../platform/credentials.ts";
import { idFrom } from "../../platform/ids.ts";
import { readSchedule } from "../on-call/schedules.ts";

const PAST_MS = 30 * DAY_MS;
const AHEAD_MS = 90 * DAY_MS;
const EVENTS_MAX = 2_000;

interface Named {
  id: string;
  schedule_id: string;
}

/** Makes the caller's secret address of a schedule's calendar; the one before ends at once. */
export async function createScheduleCalendar(ctx: RequestScope, named: Named): Promise<string> {
  return createFeed(ctx, await readSchedule(ctx, named));
}

export async function revokeScheduleCalendar(ctx: RequestScope, named: Named): Promise<void> {
  await revokeFeed(ctx, await readSchedule(ctx, named));
}

/** The same for the calendar of all shifts of the caller. */
export function createMyCalendar(ctx: RequestScope): Promise<string> {
  return createFeed(ctx, null);
}

export function revokeMyCalendar(ctx: RequestScope): Promise<void> {
  return revokeFeed(ctx, null);
}

async function createFeed(ctx: RequestScope, schedule: OnCallScheduleRecord | null): Promise<string> {
  const { user_id } = requireUser(ctx);
  const token = newMachineToken("calendar");
  const feed = {
    id: feedId(user_id, schedule),
    user_id,
    schedule_id: schedule?.id ?? null,
    token_hash: sha256Hex(token),
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [upsertCalendarFeed(ctx.db, feed)], { audit: auditOf(ctx, schedule, "created") });
  return `${ctx.publicUrl}/calendar/${token}`;
}

async function revokeFeed(ctx: RequestScope, schedule: OnCallScheduleRecord | null): Promise<void> {
  const id = feedId(requireUser(ctx).user_id, schedule);
  await commit(ctx, [deleteCalendarFeed(ctx.db, id)], { audit: auditOf(ctx, schedule, "revoked") });
}

function feedId(userId: string, schedule: OnCallScheduleRecord | null): string {
  return idFrom("calendar feed", userId, schedule?.id ?? "");
}

function auditOf(ctx: RequestScope, schedule: OnCallScheduleRecord | null, verb: "created" | "revoked") {
  const { user_id } = requireUser(ctx);
  return {
    owner_id: schedule?.owner_id ?? user_id,
    status_page_id: schedule?.status_page_id ?? null,
    target_type: "calendar_feed",
    target_id: feedId(user_id, schedule),
    summary: `${verb} a calendar of ${schedule ? `on-call schedule "${schedule.name}"` : "on-call shifts"}`,
  };
}

/** The address is the credential; it opens nothing that its user may not see any more. */
export async function renderOnCallCalendar(ctx: RequestScope, token: string): Promise<string> {
  const feed = isWellFormedMachineToken("calendar", token)
    ? await findCalendarFeed(ctx.db, sha256Hex(token))
    : undefined;
  if (!feed) throw notFound("calendar");
  const found = await listSchedulesOfUser(ctx.db, feed.user_id, feed.schedule_id);
  const [only] = found;
  if (feed.schedule_id === null || !only) {
    if (feed.schedule_id !== null) throw notFound("calendar");
    const events = found.flatMap(({ schedule, page_name }) =>
      shiftsOf(schedule, ctx.now)
        .filter(({ user_id }) => user_id === feed.user_id)
        .map((shift) => eventOf(schedule, shift, `On call: ${schedule.name} (${page_name})`)),
    );
    return render("On-call shifts", events);
  }
  const names = await listTeamNames(ctx.db, only.schedule.status_page_id);
  const events = shiftsOf(only.schedule, ctx.now).map((shift) => {
    const name = shift.user_id === null ? undefined : names.get(shift.user_id);
    return eventOf(only.schedule, shift, name === undefined ? "Nobody on call" : `${name} on call`);
  });
  return render(`${only.schedule.name} (${only.page_name})`, events);
}

function render(name: string, events: readonly CalendarEvent[]): string {
  return renderCalendarText({ name, product: "On-call", events: events.slice(0, EVENTS_MAX) });
}

function shiftsOf(schedule: OnCallScheduleRecord, now: number) {
  // Whole days, so that a shift that began earlier keeps its start for a day.
  const start_at = Math.floor((now - PAST_MS) / DAY_MS) * DAY_MS;
  return listCalendar(schedule, { start_at, end_at: start_at + PAST_MS + AHEAD_MS });
}

function eventOf(
  schedule: OnCallScheduleRecord,
  { start_at, end_at }: { start_at: number; end_at: number },
  summary: string,
): CalendarEvent {
  return { uid: `${schedule.id}-${start_at}`, stamp: schedule.updated_at, start_at, end_at, summary };
}
