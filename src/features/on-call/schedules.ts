import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage, requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireOnCallSchedule, requireVisibleOnCallSchedule } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, inUse, invalid, notFound, raced } from "../../contract/errors.ts";
import type { OnCallScheduleChange, OnCallScheduleCreate } from "../../contract/on-call.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Statement } from "../../data/db.ts";
import { listOnCallSchedules, type OnCallScheduleRecord, withAbsent } from "../../data/on-call/read.ts";
import {
  arePoliciesChanged,
  deleteOnCallSchedule,
  hasSchedules,
  insertOnCallSchedule,
  isScheduleChanged,
  updateOnCallSchedule,
} from "../../data/on-call/write.ts";
import { findScheduleFlaw, type Schedule } from "../../domain/on-call.ts";
import { REVIEW_DELAY_MS } from "../../domain/on-call-notices.ts";
import { replaced, stampAfter } from "../../lib/merge-field.ts";
import { newId } from "../../platform/ids.ts";
import { listOpenPolicies } from "./policies.ts";
import { requireTeam } from "./references.ts";

export const SCHEDULES_MAX = 100;

const RACED = raced("the on-call schedule was changed by another request, reload it and try again");

/** A schedule with what it knows of its team. */
export type ShownSchedule = OnCallScheduleRecord & Pick<Schedule, "absent">;

/** A schedule under the address of its page. */
interface Named {
  id: string;
  schedule_id: string;
}

export async function listSchedules(ctx: RequestScope, pageIds: readonly string[], pagination: Pagination) {
  const visible = await requireVisiblePages(ctx, pageIds);
  const { rows, total } = await listOnCallSchedules(ctx.db, pageIds, pagination);
  const pages = visible.map(({ page }) => page);
  return { rows: await withAbsent(ctx.db, pages, rows), total };
}

export async function readSchedule(ctx: RequestScope, { id, schedule_id }: Named): Promise<ShownSchedule> {
  const schedule = await requireVisibleOnCallSchedule(ctx, schedule_id);
  const { page } = await requireVisiblePage(ctx, id);
  if (schedule.status_page_id !== page.id) throw notFound("on-call schedule");
  return show(ctx, page, schedule);
}

async function show(
  ctx: RequestScope,
  page: { id: string; owner_id: string },
  schedule: OnCallScheduleRecord,
): Promise<ShownSchedule> {
  const [shown = schedule] = await withAbsent(ctx.db, [page], [schedule]);
  return shown;
}

export async function createSchedule(
  ctx: RequestScope,
  pageId: string,
  input: OnCallScheduleCreate,
): Promise<ShownSchedule> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return readSchedule(ctx, { id: page.id, schedule_id: earlier });
  const schedule: OnCallScheduleRecord = {
    id: newId(),
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    name: input.name,
    timezone: input.timezone ?? page.timezone,
    is_active: input.is_active ?? true,
    ...spansOf(input, NO_SPANS),
    next_review_at: ctx.now + REVIEW_DELAY_MS,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await requireSound(ctx, page, schedule);
  await write(ctx, schedule, "created", insertOnCallSchedule(ctx.db, schedule));
  return schedule;
}

export async function changeSchedule(
  ctx: RequestScope,
  named: Named,
  input: OnCallScheduleChange,
): Promise<ShownSchedule> {
  const page = await requirePage(ctx, named.id);
  const current = await getSchedule(ctx, named);
  const schedule: OnCallScheduleRecord = {
    ...current,
    name: input.name ?? current.name,
    timezone: replaced(input.timezone, current.timezone, page.timezone),
    is_active: replaced(input.is_active, current.is_active, true),
    ...spansOf(input, current),
    next_review_at: ctx.now + REVIEW_DELAY_MS,
    updated_at: stampAfter(current, ctx.now),
  };
  await requireSound(ctx, page, schedule, current);
  const when = isScheduleChanged(current);
  await write(ctx, schedule, "changed", updateOnCallSchedule(ctx.db, schedule), [
    { name: "stale", when, error: RACED },
  ]);
  return show(ctx, page, schedule);
}

export async function removeSchedule(ctx: RequestScope, named: Named): Promise<void> {
  const schedule = await getSchedule(ctx, named);
  const policies = await listOpenPolicies(ctx, [schedule.status_page_id]);
  const naming = policies.filter(({ steps }) =>
    steps.some(({ contacts }) => contacts.some(({ type, value }) => type === "schedule" && value === schedule.id)),
  );
  if (naming.length > 0) {
    const names = naming.map(({ policy }) => `"${policy.name}"`).join(", ");
    throw inUse(`the on-call schedule is named by the escalation policies ${names}; remove it from their steps first`);
  }
  const when = arePoliciesChanged(
    schedule.status_page_id,
    policies.map(({ policy }) => policy),
  );
  await write(ctx, schedule, "deleted", deleteOnCallSchedule(ctx.db, schedule.id), [
    { name: "stale", when, error: RACED },
  ]);
}

async function getSchedule(ctx: RequestScope, { id, schedule_id }: Named): Promise<OnCallScheduleRecord> {
  const schedule = await requireOnCallSchedule(ctx, schedule_id);
  if (schedule.status_page_id !== id) throw notFound("on-call schedule");
  return schedule;
}

type Spans = Pick<OnCallScheduleRecord, "shifts" | "rotations" | "overrides">;
const NO_SPANS: Spans = { shifts: [], rotations: [], overrides: [] };

/** What a body leaves out stays; null empties a list. */
function spansOf({ shifts, rotations, overrides }: OnCallScheduleChange, current: Spans): Spans {
  return {
    shifts: shifts === undefined ? current.shifts : (shifts ?? []),
    rotations:
      rotations === undefined
        ? current.rotations
        : (rotations ?? []).map(({ handoff_time, ...rotation }) => ({
            ...rotation,
            handoff_time: handoff_time ?? null,
          })),
    overrides:
      overrides === undefined
        ? current.overrides
        : (overrides ?? []).map(({ add_user_id, remove_user_id, ...span }) => ({
            ...span,
            add_user_id: add_user_id ?? null,
            remove_user_id: remove_user_id ?? null,
          })),
  };
}

/** What a schedule names already may have left the team since; it is a gap until it is replaced. */
async function requireSound(
  ctx: RequestScope,
  page: { id: string; owner_id: string },
  schedule: OnCallScheduleRecord,
  current: Spans = NO_SPANS,
): Promise<void> {
  const flaw = findScheduleFlaw(schedule);
  if (flaw) throw invalid(`${flaw.path} ${flaw.message}`, [flaw]);
  await requireTeam(ctx, page, schedule, current);
}

async function write(
  ctx: RequestScope,
  schedule: OnCallScheduleRecord,
  verb: "created" | "changed" | "deleted",
  statement: Statement,
  guards: Guard[] = [],
): Promise<void> {
  const full = conflict(`a status page has at most ${SCHEDULES_MAX} on-call schedules`);
  const when = hasSchedules(schedule.status_page_id, SCHEDULES_MAX);
  await commit(ctx, [statement], {
    guards: verb === "created" ? [{ name: "stale", when, error: full }] : guards,
    audit: {
      owner_id: schedule.owner_id,
      status_page_id: schedule.status_page_id,
      target_type: "on_call_schedule",
      target_id: schedule.id,
      summary: `${verb} on-call schedule "${schedule.name}"`,
    },
  });
}
