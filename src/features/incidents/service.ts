import type { Guard } from "../../access/audited-write.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage, viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { invalidateLoaded, requireIncident } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import {
  type IncidentChange,
  type IncidentCreate,
  type IncidentFilter,
  type IncidentStatus,
  UPDATES_CARRIED,
} from "../../contract/incident.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Statement } from "../../data/db.ts";
import { updateOpenMembers } from "../../data/incidents/bundles.ts";
import {
  detailIncidents,
  type IncidentDetail,
  listIncidents,
  listIncidentTimes,
  listIncidentUpdates,
} from "../../data/incidents/list.ts";
import type { IncidentRecord } from "../../data/incidents/read.ts";
import {
  deleteIncident,
  type IncidentEdit,
  insertIncident,
  insertIncidentUpdate,
  setAffected,
  updateIncident,
} from "../../data/incidents/write.ts";
import { findPageFor } from "../../data/members/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { computeIncidentStats, listMonthsUntil } from "../../domain/incident-stats.ts";
import { decideStatusChange, statusSentence } from "../../domain/incident-status.ts";
import { acknowledgedEvent, incidentEvent } from "../../events/emit.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { zonedClock } from "../../lib/zoned-days.ts";
import { continueEscalation } from "../../outbox/escalations.ts";
import { incidentOpenedEventId } from "../../outbox/event-ids.ts";
import { newId } from "../../platform/ids.ts";
import { resolveAffected } from "./affected.ts";
import { notifyAssignee } from "./assignee.ts";
import { fillFromTemplate } from "./template.ts";
import { deletionEvent, publishWithdrawal } from "./withdrawal.ts";
import { moveGuards, newUpdate, openGuard, writeIncident } from "./write.ts";

const STATS_INCIDENTS_MAX = 10_000;
const MONTH_MS_MAX = 31 * DAY_MS;
const NOTHING = { monitor_ids: [], group_ids: [] };
export type StatsOfPage = Awaited<ReturnType<typeof computeStatsOfPage>>;

/** The incidents of one page, whose visibility was checked before, or of all pages that the caller sees. */
export async function listMyIncidents(
  ctx: RequestScope,
  { status_page_id, ...filter }: IncidentFilter & { status_page_id?: string },
  page: Pagination,
) {
  const scope = status_page_id === undefined ? { visible_to: await viewerOf(ctx) } : { status_page_id };
  const { rows, total } = await listIncidents(ctx.db, scope, filter, page);
  return { incidents: await detailIncidents(ctx.db, rows, UPDATES_CARRIED), total };
}

export async function getIncident(ctx: RequestScope, incidentId: string): Promise<IncidentDetail> {
  return detail(ctx, await requireIncident(ctx, incidentId));
}

export async function createIncident(
  ctx: RequestScope,
  body: IncidentCreate,
  guards: readonly Guard[] = [],
): Promise<IncidentDetail> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getIncident(ctx, earlier);
  const page = await requirePage(ctx, body.status_page_id);
  // Choice: a setting of the page stands in the way, not a missing right, so this is no 403.
  if (!page.incident_system_enabled) throw conflict("incidents are disabled on this status page");
  const affected = await resolveAffected(ctx, page.id, body, NOTHING);
  const input = await fillFromTemplate(ctx, page, { input: body, affected });
  const incident = await newIncident(ctx, page, input);
  const first = input.message ? [newUpdate(ctx, incident, input.message)] : [];
  const news = incidentEvent(incident, {
    id: incidentOpenedEventId(incident.id),
    name: "incident.created",
    now: ctx.now,
    notify_subscribers: true,
    message: input.message ?? incident.description ?? incident.title,
  });
  const statements = [
    insertIncident(ctx.db, incident),
    ...setAffected(ctx.db, incident.id, affected),
    ...first.map((update) => insertIncidentUpdate(ctx.db, update)),
  ];
  const notice = await notifyAssignee(ctx, page, { incident, former: null });
  await writeIncident(ctx, incident, {
    verb: "created",
    statements: [...statements, ...notice.statements],
    events: body.announce === false ? [] : [news],
    guards: [...guards, ...(await openGuard(ctx, incident))],
  });
  notice.send();
  return getFresh(ctx, incident.id);
}

async function newIncident(
  ctx: RequestScope,
  page: StatusPageRecord,
  input: IncidentCreate & { title: string },
): Promise<IncidentRecord> {
  const status = input.status ?? "investigating";
  const started_at = requirePast(ctx, input.started_at, "started_at") ?? ctx.now;
  return {
    id: newId(),
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    title: input.title,
    description: input.description || null,
    severity: input.severity ?? "minor",
    status,
    impact: input.impact || null,
    tags: input.tags ?? [],
    assigned_to_id: await requireAssignable(ctx, page, input.assigned_to_id),
    is_public: input.is_public ?? false,
    started_at,
    resolved_at: resolvedAt(ctx, { status, started_at, given: input.resolved_at }),
    acknowledged_at: null,
    acknowledged_by: null,
    origin_monitor_id: null,
    origin_outage_id: null,
    bundle_id: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
}

export async function changeIncident(
  ctx: RequestScope,
  incidentId: string,
  input: IncidentChange,
): Promise<IncidentDetail> {
  const current = await getIncident(ctx, incidentId);
  const page = await requirePage(ctx, current.status_page_id);
  // An assignee who left the page may be sent back, so that clients can write what they read.
  const isSameAssignee = input.assigned_to_id === undefined || input.assigned_to_id === current.assigned_to_id;
  const change: IncidentEdit = {
    title: input.title ?? current.title,
    description: input.description === undefined ? current.description : input.description || null,
    severity: replaced(input.severity, current.severity, "minor"),
    impact: input.impact === undefined ? current.impact : input.impact || null,
    tags: input.tags === undefined ? current.tags : (input.tags ?? []),
    assigned_to_id: isSameAssignee ? current.assigned_to_id : await requireAssignable(ctx, page, input.assigned_to_id),
    is_public: replaced(input.is_public, current.is_public, false),
    started_at: requirePast(ctx, input.started_at, "started_at") ?? current.started_at,
  };
  if (input.started_at) requireOrder({ ...current, ...change }, input.status ?? current.status);
  const namesAffected = [input.monitor_id, input.monitor_ids, input.group_ids].some((named) => named !== undefined);
  const statements = namesAffected
    ? setAffected(ctx.db, current.id, await resolveAffected(ctx, page.id, input, current))
    : [];
  const assigned = { ...current, ...change };
  const notice = await notifyAssignee(ctx, page, { incident: assigned, former: current.assigned_to_id });
  await moveIncident(ctx, current, {
    change,
    statements: [...statements, ...notice.statements],
    to: input.status,
    message: input.message,
    notify: true,
  });
  notice.send();
  return getFresh(ctx, current.id);
}

interface Move {
  change: IncidentEdit;
  statements: Statement[];
  to: IncidentStatus | null | undefined;
  /** Written into the timeline; without one, only a change of status is. */
  message: string | null | undefined;
  notify: boolean;
}

/** Updates an incident and emits an event when its status or visibility changes. */
async function moveIncident(ctx: RequestScope, current: IncidentRecord, asked: Move): Promise<void> {
  const move = decideStatusChange(current, asked.to ?? undefined, ctx.now);
  const moved: IncidentRecord = { ...current, ...asked.change, ...move, updated_at: ctx.now };
  const isPublished = moved.is_public && !current.is_public;
  const message = asked.message ?? statusSentence(moved.status);
  const words = isPublished && !move ? await lastWords(ctx, moved) : message;
  const news = incidentEvent(moved, {
    id: newId(),
    name: move?.status === "resolved" ? "incident.resolved" : "incident.updated",
    message: words,
    notify_subscribers: asked.notify,
    is_publication: isPublished,
    now: ctx.now,
  });
  const isWithdrawn = current.is_public && !moved.is_public && current.status !== "resolved";
  await writeIncident(ctx, moved, {
    verb: "changed",
    statements: [
      updateIncident(ctx.db, current.id, {
        ...changedMembers<IncidentEdit>(current, { ...asked.change, ...move }),
        updated_at: ctx.now,
      }),
      ...asked.statements,
      ...memberStatements(ctx, current, moved),
      ...(move ? [insertIncidentUpdate(ctx.db, newUpdate(ctx, moved, message))] : []),
    ],
    events: move || isPublished ? [news] : [],
    publication: isWithdrawn ? await publishWithdrawal(ctx, current) : undefined,
    guards: move ? await moveGuards(ctx, { current, moved }) : [],
  });
}

/** What is published says where things stand. */
async function lastWords(ctx: RequestScope, { id, description, title }: IncidentRecord): Promise<string> {
  const { rows } = await listIncidentUpdates(ctx.db, id, { limit: 1, offset: 0 });
  return rows[0]?.message ?? description ?? title;
}

/** What a bundle lists ends and is published with it. */
function memberStatements(ctx: RequestScope, { id, is_public }: IncidentRecord, moved: IncidentRecord): Statement[] {
  const { status, resolved_at } = moved;
  return [
    ...(moved.is_public === is_public ? [] : [updateOpenMembers(ctx.db, id, { is_public: moved.is_public })]),
    ...(status === "resolved" ? [updateOpenMembers(ctx.db, id, { status, resolved_at })] : []),
  ];
}

export async function setPublished(ctx: RequestScope, incidentId: string, is_public: boolean): Promise<IncidentDetail> {
  const current = await requireIncident(ctx, incidentId);
  const isDone = current.is_public === is_public || (await findIdempotentResult(ctx)) !== undefined;
  if (isDone) return getIncident(ctx, incidentId);
  await moveIncident(ctx, current, {
    change: { is_public },
    statements: [],
    to: undefined,
    message: undefined,
    notify: true,
  });
  return getFresh(ctx, incidentId);
}

/** Records the first acknowledgement only. */
export async function acknowledgeIncident(ctx: RequestScope, incidentId: string): Promise<IncidentDetail> {
  const incident = await requireIncident(ctx, incidentId);
  const isDone = incident.acknowledged_at !== null || (await findIdempotentResult(ctx)) !== undefined;
  if (isDone) return getIncident(ctx, incidentId);
  const change = { acknowledged_at: ctx.now, acknowledged_by: requireUser(ctx).user_id, updated_at: ctx.now };
  const { acknowledged_at, acknowledged_by } = change;
  const escalation = continueEscalation(ctx, incident.id, ctx.now);
  await writeIncident(ctx, incident, {
    verb: "acknowledged",
    statements: [
      updateIncident(ctx.db, incident.id, change),
      updateOpenMembers(ctx.db, incident.id, { acknowledged_at, acknowledged_by }),
      ...escalation.statements,
    ],
    events: [acknowledgedEvent(incident, ctx.now)],
  });
  await escalation.wake();
  return getFresh(ctx, incidentId);
}

export async function removeIncident(ctx: RequestScope, incidentId: string): Promise<void> {
  const incident = await requireIncident(ctx, incidentId);
  await writeIncident(ctx, incident, {
    verb: "deleted",
    statements: [deleteIncident(ctx.db, incident.id)],
    events: incident.status === "resolved" ? [] : [await deletionEvent(ctx, incident)],
  });
}

/** The last `months` calendar months of the page's zone, the present one included. */
export async function computeStatsOfPage(ctx: RequestScope, pageId: string, months: number) {
  const { timezone } = await requirePage(ctx, pageId);
  const since = ctx.now - months * MONTH_MS_MAX;
  const times = await listIncidentTimes(ctx.db, { status_page_id: pageId, since, limit: STATS_INCIDENTS_MAX });
  const listed = listMonthsUntil(ctx.now, timezone, months);
  const from = zonedClock(timezone).instantOf(Date.parse(`${listed[0]}-01`));
  return { from, to: ctx.now, ...computeIncidentStats(times, { months: listed, timezone }) };
}

async function detail(ctx: RequestScope, incident: IncidentRecord): Promise<IncidentDetail> {
  const [found] = await detailIncidents(ctx.db, [incident], UPDATES_CARRIED);
  return found ?? { ...incident, updates: [], ...NOTHING };
}

/** As it is after a write. */
function getFresh(ctx: RequestScope, incidentId: string): Promise<IncidentDetail> {
  invalidateLoaded(ctx, "incident", incidentId);
  return getIncident(ctx, incidentId);
}

type Given = number | null | undefined;

function requirePast(ctx: RequestScope, at: Given, path: "started_at" | "resolved_at"): Given {
  if (at && at > ctx.now) throw refuse(path, "must not lie in the future");
  return at;
}

/** A past incident keeps its real end; without one it ends now. */
function resolvedAt(
  ctx: RequestScope,
  { status, started_at, given }: { status: IncidentStatus; started_at: number; given: Given },
): number | null {
  if (status !== "resolved") {
    if (given) throw refuse("resolved_at", "is for status resolved only");
    return null;
  }
  const at = requirePast(ctx, given, "resolved_at") ?? ctx.now;
  requireOrder({ started_at, resolved_at: at }, status);
  return at;
}

function requireOrder(incident: Pick<IncidentRecord, "started_at" | "resolved_at">, status: IncidentStatus): void {
  if (status !== "resolved" || incident.resolved_at === null) return;
  if (incident.resolved_at < incident.started_at) throw refuse("resolved_at", "must not be before started_at");
}

function refuse(path: string, message: string) {
  return invalid(`${path} ${message}`, [{ path, message }]);
}

/** An assignee can see the page: its owner, or one of its members. */
async function requireAssignable(
  ctx: RequestScope,
  page: StatusPageRecord,
  userId: string | null | undefined,
): Promise<string | null> {
  if (!userId || userId === page.owner_id) return userId ?? null;
  if ((await findPageFor(ctx.db, page.id, userId))?.member) return userId;
  throw invalid("assigned_to_id must name a member of this status page");
}
