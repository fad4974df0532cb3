import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage, viewerOf } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import { invalidateLoaded, requireMaintenance } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, raced } from "../../contract/errors.ts";
import type { NewEvent } from "../../contract/events.ts";
import { UPDATES_CARRIED } from "../../contract/incident.ts";
import type { MaintenanceChange, MaintenanceCreate, MaintenanceFilter } from "../../contract/maintenance.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Statement } from "../../data/db.ts";
import { detailMaintenance, listMaintenance, type MaintenanceDetail } from "../../data/maintenance/list.ts";
import { isAdvanced, listTrackedMaintenance, type MaintenanceRecord } from "../../data/maintenance/read.ts";
import {
  deleteMaintenance,
  endCoverage,
  insertMaintenance,
  type MaintenanceEdit,
  recordOccurrences,
  setTargets,
  updateMaintenance,
} from "../../data/maintenance/write.ts";
import { hasPlannedMaintenance } from "../../data/plan-caps/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { publishToSubscribers, type SubscriberNotice } from "../../delivery/subscriber-messages.ts";
import { announcedStart, findOccurrence, listOccurrences, trackBoundary } from "../../domain/maintenance.ts";
import { findRecurrenceError, type Recurrence } from "../../domain/recurrence.ts";
import { boundaryEvent, publish } from "../../events/emit.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { joinPublications } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";
import { endOfDeleted, followBegun } from "./begun-occurrence.ts";
import {
  buildCancellationMessages,
  buildScheduleMessages,
  trackedOccurrence,
  withoutSubscribers,
} from "./subscriber-messages.ts";
import { requireTargets } from "./targets.ts";

/** Of a window that is recorded afterwards, what lies this far back counts in reports. */
const RECORDED_MS = 400 * DAY_MS;
const RECORDED_MAX = 400;

/** What null gives an optional member back. */
const DEFAULTS = {
  recurrence_type: "none",
  recurrence_interval: 1,
  recurrence_end_date: null,
  recurrence_day_of_week: null,
  recurrence_day_of_month: null,
} as const;

/** The windows of one page, whose visibility was checked before, or of all pages that the caller sees. */
export async function listMyMaintenance(
  ctx: RequestScope,
  { status_page_id: pageId, ...filter }: MaintenanceFilter & { status_page_id?: string },
  page: Pagination,
) {
  const scope = pageId === undefined ? { visible_to: await viewerOf(ctx) } : { status_page_id: pageId };
  const { rows, total } = await listMaintenance(ctx.db, scope, { ...filter, now: ctx.now }, page);
  return { windows: await detailMaintenance(ctx.db, rows, UPDATES_CARRIED), total };
}

export async function getMaintenance(ctx: RequestScope, maintenanceId: string): Promise<MaintenanceDetail> {
  const window = await requireMaintenance(ctx, maintenanceId);
  const [found] = await detailMaintenance(ctx.db, [window], UPDATES_CARRIED);
  return found ?? { ...window, timezone: "UTC", targets: [], updates: [] };
}

export async function createMaintenance(ctx: RequestScope, input: MaintenanceCreate): Promise<MaintenanceDetail> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getMaintenance(ctx, earlier);
  const page = await requirePage(ctx, input.status_page_id);
  const targets = input.targets ?? [];
  await requireTargets(ctx, page.id, targets);
  const schedule = mergeSchedule(input, { ...DEFAULTS, start_time: input.start_time, end_time: input.end_time });
  const base: MaintenanceRecord = {
    id: newId(),
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    title: input.title,
    description: input.description || null,
    is_public: input.is_public ?? true,
    covers_page: targets.length === 0,
    ...schedule,
    cancelled_starts: [],
    done_until: 0,
    occurrence_start_at: null,
    occurrence_end_at: null,
    next_edge_at: null,
    external_key: input.external_key ?? null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const tracked = { ...base, ...track(ctx, base, page) };
  const begun = beginNow(ctx, tracked);
  const window = { ...tracked, ...begun?.change };
  const statements = [
    insertMaintenance(ctx.db, window),
    ...setTargets(ctx.db, window.id, targets),
    ...recordOccurrences(ctx.db, listPast(ctx, window, page)),
    ...(begun?.statements ?? []),
  ];
  const notices = buildScheduleMessages(ctx, { former: null, window, targets });
  const guards = await plannedGuard(ctx, null, window);
  await write(ctx, window, { verb: "created", statements, events: begun?.events, notices, guards });
  return getFresh(ctx, window.id);
}

export async function changeMaintenance(
  ctx: RequestScope,
  maintenanceId: string,
  input: MaintenanceChange,
): Promise<MaintenanceDetail> {
  const current = await getMaintenance(ctx, maintenanceId);
  const page = await requirePage(ctx, current.status_page_id);
  if (input.targets) await requireTargets(ctx, page.id, input.targets);
  const schedule = mergeSchedule(input, current);
  const details = {
    title: input.title ?? current.title,
    description: input.description === undefined ? current.description : input.description || null,
    is_public: replaced(input.is_public, current.is_public, true),
    external_key: replaced(input.external_key, current.external_key, null),
    updated_at: ctx.now,
  };
  const scheduled = {
    ...details,
    ...(isRescheduled(schedule, current) ? reschedule(ctx, current, schedule, page) : {}),
  };
  const isRetargeted = input.targets !== undefined;
  const targets = isRetargeted ? (input.targets ?? []) : current.targets;
  const change = { ...scheduled, covers_page: isRetargeted ? targets.length === 0 : current.covers_page };
  const changed = { ...current, ...change };
  const begun = followBegun(ctx, current, changed, isRetargeted);
  const statements = [
    updateMaintenance(ctx.db, current.id, { ...changedMembers<MaintenanceEdit>(current, change), updated_at: ctx.now }),
    ...(isRetargeted ? setTargets(ctx.db, current.id, targets) : []),
    ...begun.statements,
  ];
  const notices = buildScheduleMessages(ctx, { former: current, window: changed, targets });
  const guards = await plannedGuard(ctx, current, changed);
  const events = notices.length > 0 ? begun.events.map(withoutSubscribers) : begun.events;
  await write(ctx, current, { verb: "changed", statements, events, notices, isGuarded: true, guards });
  return getFresh(ctx, current.id);
}

export async function removeMaintenance(ctx: RequestScope, maintenanceId: string): Promise<void> {
  const window = await getMaintenance(ctx, maintenanceId);
  await write(ctx, window, {
    verb: "deleted",
    statements: [endCoverage(ctx.db, window.id, ctx.now), deleteMaintenance(ctx.db, window.id)],
    events: await endOfDeleted(ctx, window),
    notices: buildCancellationMessages(ctx, window, trackedOccurrence(window)),
  });
}

/** For a page whose zone changes, and with it the instants at which its windows begin. */
export async function followTimezone(ctx: RequestScope, page: StatusPageRecord): Promise<Statement[]> {
  const windows = await listTrackedMaintenance(ctx.db, page.id);
  return windows
    .filter((window) => window.recurrence_type !== "none")
    .map((window) => {
      const next = findOccurrence(window, page.timezone, ctx.now);
      return updateMaintenance(ctx.db, window.id, trackBoundary(next, announcedStart(window)));
    });
}

function mergeSchedule(input: MaintenanceChange, current: Recurrence): Recurrence {
  const chosen = <Name extends keyof typeof DEFAULTS>(name: Name) =>
    input[name] === undefined ? current[name] : (input[name] ?? DEFAULTS[name]);
  return {
    start_time: input.start_time ?? current.start_time,
    end_time: input.end_time ?? current.end_time,
    recurrence_type: chosen("recurrence_type"),
    recurrence_interval: chosen("recurrence_interval"),
    recurrence_end_date: chosen("recurrence_end_date"),
    recurrence_day_of_week: chosen("recurrence_day_of_week"),
    recurrence_day_of_month: chosen("recurrence_day_of_month"),
  };
}

function isRescheduled(schedule: Recurrence, current: MaintenanceRecord): boolean {
  return Object.entries(schedule).some(([name, value]) => current[name as keyof Recurrence] !== value);
}

/** A new schedule resets cancellations and early ends, which belonged to the previous one. */
function reschedule(ctx: RequestScope, current: MaintenanceRecord, schedule: Recurrence, page: StatusPageRecord) {
  const fresh = { ...schedule, cancelled_starts: [], done_until: 0 };
  return { ...fresh, ...track(ctx, { ...current, ...fresh }, page) };
}

function track(ctx: RequestScope, window: MaintenanceRecord, page: Pick<StatusPageRecord, "timezone">) {
  const flaw = findRecurrenceError(window, page.timezone);
  if (flaw !== null) throw invalid(flaw);
  return trackBoundary(findOccurrence(window, page.timezone, ctx.now), announcedStart(window));
}

/** What announces an occurrence that has begun without a word; undefined where there is none. */
function beginNow(ctx: RequestScope, window: MaintenanceRecord) {
  const { occurrence_start_at: start_at, occurrence_end_at: end_at } = window;
  if (start_at === null || end_at === null || start_at > ctx.now || announcedStart(window) !== null) return undefined;
  const occurrence = { start_at, end_at };
  return {
    change: trackBoundary(occurrence, start_at),
    statements: recordOccurrences(ctx.db, [{ maintenance_id: window.id, ...occurrence }]),
    events: [boundaryEvent(window, { name: "maintenance.started", occurrence })],
  };
}

/** Occurrences that were over when the window was recorded. They send no event. */
function listPast(ctx: RequestScope, window: MaintenanceRecord, page: StatusPageRecord) {
  const range = { from: Math.max(window.start_time - 1, ctx.now - RECORDED_MS), to: ctx.now, max: RECORDED_MAX };
  return listOccurrences(window, page.timezone, range)
    .filter(({ end_at }) => end_at <= ctx.now)
    .map((occurrence) => ({ maintenance_id: window.id, ...occurrence }));
}

interface Write {
  verb: string;
  statements: Statement[];
  events?: NewEvent[];
  /** Messages to subscribers besides the events. */
  notices?: SubscriberNotice[];
  /** Refuses when the window began or ended since it was read. */
  isGuarded?: boolean;
  guards?: Guard[];
  made?: { target_type: string; target_id: string };
}

/** The one way to write anything of a window: with its events and a new version of its page. */
export async function write(ctx: RequestScope, window: MaintenanceRecord, done: Write): Promise<void> {
  const publication = joinPublications([
    publish(ctx, done.events ?? []),
    await publishToSubscribers(ctx, done.notices ?? [], ctx.now),
  ]);
  const statements = [
    ...done.statements,
    ...publication.statements,
    bumpPageVersion(ctx.db, window.status_page_id, ctx.now),
  ];
  const error = raced("the maintenance window has just begun or ended, try again");
  await commit(ctx, statements, {
    guards: [
      ...(done.isGuarded ? [{ name: "stale", when: isAdvanced(window), error } as const] : []),
      ...(done.guards ?? []),
    ],
    conflicts: { "maintenance.external_key": conflict("external_key is taken by another maintenance window") },
    audit: {
      owner_id: window.owner_id,
      status_page_id: window.status_page_id,
      target_type: "maintenance",
      target_id: window.id,
      ...done.made,
      summary: `${done.verb} maintenance "${window.title}"`,
    },
  });
  await publication.wake();
}

/** For a window that is planned now and was not before. */
async function plannedGuard(
  ctx: RequestScope,
  former: MaintenanceRecord | null,
  { owner_id, next_edge_at }: MaintenanceRecord,
): Promise<Guard[]> {
  if (next_edge_at === null || (former !== null && former.next_edge_at !== null)) return [];
  return capGuard(ctx, { cap: "planned_maintenance", owner_id, isReached: hasPlannedMaintenance(owner_id) });
}

/** As it is after a write. */
export function getFresh(ctx: RequestScope, maintenanceId: string): Promise<MaintenanceDetail> {
  invalidateLoaded(ctx, "maintenance", maintenanceId);
  return getMaintenance(ctx, maintenanceId);
}
