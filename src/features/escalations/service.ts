import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import {
  invalidateLoaded,
  requireEscalation,
  requireIncident,
  requireVisibleEscalation,
} from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid, notFound } from "../../contract/errors.ts";
import type { Pagination } from "../../contract/pagination.ts";
import {
  type EscalationNotificationRecord,
  type EscalationRecord,
  findEscalationOfIncident,
  type LoadedSubject,
  listEscalationNotifications,
  listEscalations,
  listOpenEscalations,
  listOwnSubjects,
  listSubjects,
  loadEscalation,
} from "../../data/escalations/read.ts";
import { acknowledgeSubjects, snoozeEscalation } from "../../data/escalations/write.ts";
import { updateOpenMembers } from "../../data/incidents/bundles.ts";
import { findIncident, type IncidentRecord, listIncidentsByIds } from "../../data/incidents/read.ts";
import { updateIncident } from "../../data/incidents/write.ts";
import { findPageFor } from "../../data/members/read.ts";
import { findPage } from "../../data/status-pages/read.ts";
import { findUser } from "../../data/users/read.ts";
import { SNOOZE_MAX_MS } from "../../domain/escalation.ts";
import { titleOf } from "../../domain/escalation-messages.ts";
import { acknowledgedEvent, publish } from "../../events/emit.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { wakeEscalations } from "../../outbox/escalations.ts";
import { type AcknowledgeLink, parseAcknowledgeToken } from "../../platform/acknowledge-tokens.ts";

/** Of each page so many of its newest are looked at. */
const UNDER_WAY = { newestMax: 20, limit: 50 };
const LINK_VALID_MS = 7 * DAY_MS;
/** Of a larger bundle so many acknowledgements are announced one by one. */
const ANNOUNCED_MAX = 100;

export interface EscalationDetail {
  escalation: EscalationRecord;
  own: LoadedSubject;
  /** What else it notifies of. */
  bundled: readonly LoadedSubject[];
  notifications: EscalationNotificationRecord[];
}

export async function readEscalation(ctx: RequestScope, incidentId: string): Promise<EscalationDetail> {
  await requireIncident(ctx, incidentId);
  const escalation = await findEscalationOfIncident(ctx.db, incidentId);
  if (!escalation) throw notFound("escalation");
  return detail(ctx, escalation);
}

/** The newest first, of incidents and of critical events without one. */
export async function listPageEscalations(ctx: RequestScope, pageId: string, pagination: Pagination) {
  const { page } = await requireVisiblePage(ctx, pageId);
  const { rows, total } = await listEscalations(ctx.db, page.id, pagination);
  return { escalations: await withSubjects(ctx, rows), total };
}

/** Of these pages the newest ones that are under way. */
export async function listEscalationsUnderWay(ctx: RequestScope, pageIds: readonly string[]) {
  await requireVisiblePages(ctx, pageIds);
  return withSubjects(ctx, await listOpenEscalations(ctx.db, pageIds, UNDER_WAY));
}

async function withSubjects(ctx: RequestScope, rows: readonly EscalationRecord[]) {
  const subjects = await listOwnSubjects(
    ctx.db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((escalation) => {
    const own = subjects.get(escalation.id);
    return own ? [{ escalation, own }] : [];
  });
}

export async function readPageEscalation(ctx: RequestScope, { id, escalation_id }: Named): Promise<EscalationDetail> {
  const escalation = await requireVisibleEscalation(ctx, escalation_id);
  if (escalation.status_page_id !== id) throw notFound("escalation");
  return detail(ctx, escalation);
}

/** Acknowledges everything that the escalation notifies of. Only the first answer counts. */
export async function acknowledgeEscalation(
  ctx: RequestScope,
  { id, escalation_id }: Named,
): Promise<EscalationDetail> {
  const escalation = await requireEscalation(ctx, escalation_id);
  if (escalation.status_page_id !== id) throw notFound("escalation");
  if ((await findIdempotentResult(ctx)) === undefined) {
    await acknowledgeFrom(ctx, escalation, { by: requireUser(ctx).user_id, how: "" });
  }
  invalidateLoaded(ctx, "escalation", escalation.id);
  return readPageEscalation(ctx, { id, escalation_id });
}

/** An escalation under the address of its page. */
interface Named {
  id: string;
  escalation_id: string;
}

async function detail({ db }: RequestScope, escalation: EscalationRecord): Promise<EscalationDetail> {
  const { id, bundle_id } = escalation;
  const [own, ...bundled] = await listSubjects(db, id);
  if (!own) throw notFound("escalation");
  const ids = bundle_id === null ? [id] : [id, bundle_id];
  return { escalation, own, bundled, notifications: await listEscalationNotifications(db, ids) };
}

/** Notifies nobody until then; afterwards the escalation starts over and has to be acknowledged anew. */
export async function snooze(ctx: RequestScope, incidentId: string, until: number): Promise<EscalationDetail> {
  const incident = await requireIncident(ctx, incidentId);
  if (await findIdempotentResult(ctx)) return readEscalation(ctx, incidentId);
  if (until <= ctx.now || until > ctx.now + SNOOZE_MAX_MS) {
    const message = "must be in the future, at most 7 days ahead";
    throw invalid(`until ${message}`, [{ path: "until", message }]);
  }
  const { escalation } = await readEscalation(ctx, incidentId);
  const unacknowledged = { acknowledged_at: null, acknowledged_by: null, updated_at: ctx.now };
  const statements = [
    snoozeEscalation(ctx.db, incidentId, { until, now: ctx.now }),
    ...(incident.acknowledged_at === null ? [] : [updateIncident(ctx.db, incidentId, unacknowledged)]),
  ];
  await commit(ctx, statements, {
    audit: auditOf(incident, `snoozed the escalation of incident "${incident.title}"`),
  });
  await wakeEscalations(ctx, [escalation.id]);
  return readEscalation(ctx, incidentId);
}

/** What an acknowledge link is about, as its page shows it. */
export interface LinkedAlert {
  /** Null: of an incident without an escalation. */
  escalation: EscalationRecord | null;
  incident: IncidentRecord | null;
  own: Omit<LoadedSubject, "escalation_id" | "evident_since" | "is_paused" | "muted_until">;
  bundled: readonly LoadedSubject[];
  page_name: string;
  /** The account that the link was sent to. */
  sent_to: string | null;
}

/** Undefined for every text that is no token, and for tokens that ended. A token names an escalation, or an incident. */
export async function findLinkedAlert(ctx: RequestScope, token: string): Promise<LinkedAlert | undefined> {
  const link = parseAcknowledgeToken(ctx.settings.ROOT_SECRET, token);
  if (link === null || hasExpired(ctx, link)) return undefined;
  const incident = await findIncident(ctx.db, link.id);
  const escalation = incident && (await findEscalationOfIncident(ctx.db, incident.id));
  const loaded = await loadEscalation(ctx.db, escalation?.id ?? link.id);
  const pageId = loaded?.page.id ?? incident?.status_page_id;
  if (pageId === undefined || !(await isReceiverOnTeam(ctx, link, pageId))) return undefined;
  const { user_id: sent_to } = link;
  if (loaded) {
    return wasAskedAnew(ctx, link, loaded.escalation) ? undefined : { ...loaded, sent_to, page_name: loaded.page.name };
  }
  const page = incident && (await findPage(ctx.db, incident.status_page_id));
  if (!page) return undefined;
  const { title, severity, started_at, acknowledged_at, origin_monitor_id: monitor_id, origin_outage_id } = incident;
  const own = {
    title,
    text: "",
    severity,
    started_at,
    acknowledged_at,
    monitor_id,
    incident_id: incident.id,
    shown_incident_id: incident.bundle_id ?? incident.id,
    is_over: incident.status === "resolved",
    thread_id: origin_outage_id ?? incident.id,
    created_at: incident.created_at,
  };
  return { escalation: null, incident, own, bundled: [], sent_to, page_name: page.name };
}

/** Of a link or button that was sent for this escalation. */
export function hasEnded(ctx: RequestScope, link: AcknowledgeLink, escalation: EscalationRecord): boolean {
  return hasExpired(ctx, link) || wasAskedAnew(ctx, link, escalation);
}

const hasExpired = ({ now }: RequestScope, { sent_at }: AcknowledgeLink) => now - sent_at > LINK_VALID_MS;

/** A link that was sent to an account is worth what the account may see now. */
async function isReceiverOnTeam(ctx: RequestScope, { user_id }: AcknowledgeLink, pageId: string): Promise<boolean> {
  if (user_id === null) return true;
  const [visited, receiver] = await Promise.all([findPageFor(ctx.db, pageId, user_id), findUser(ctx.db, user_id)]);
  if (!receiver || receiver.deactivated_at !== null) return false;
  return visited !== undefined && (visited.page.owner_id === user_id || visited.member !== null);
}

/** Somebody snoozed or reopened it since: what was sent before answers nothing any more. */
function wasAskedAnew(
  { now }: RequestScope,
  { sent_at }: AcknowledgeLink,
  { state, started_at, snoozed_until }: EscalationRecord,
): boolean {
  if (state?.status === "snoozed" || (snoozed_until !== null && snoozed_until > now)) return true;
  // The time of a link has whole minutes, and an alert to the team may precede the first step of the new round.
  return (state?.run ?? 0) > 0 && sent_at + 2 * MINUTE_MS <= started_at;
}

/** The link is the credential: its receiver may answer without signing in. Only the first answer counts. */
export async function acknowledgeByLink(
  ctx: RequestScope,
  { escalation, incident, own, sent_to: by }: LinkedAlert,
): Promise<void> {
  const how = " by the link of a notification";
  if (escalation) return void (await acknowledgeFrom(ctx, escalation, { by, how }));
  if (incident && !own.is_over && own.acknowledged_at === null) await acknowledgeAlone(ctx, incident, { by, how });
}

/** An incident without an escalation. */
export async function acknowledgeAlone(
  ctx: RequestScope,
  incident: IncidentRecord,
  { by, how }: { by: string | null; how: string },
): Promise<void> {
  const publication = publish(ctx, [acknowledgedEvent(incident, ctx.now)]);
  const change = { acknowledged_at: ctx.now, acknowledged_by: by, updated_at: ctx.now };
  const { updated_at: _, ...answer } = change;
  const members = updateOpenMembers(ctx.db, incident.id, answer);
  await commit(ctx, [updateIncident(ctx.db, incident.id, change), members, ...publication.statements], {
    audit: auditOf(incident, `acknowledged "${incident.title}"${how}`),
  });
  await publication.wake();
}

/** Acknowledges what is open and unanswered of an escalation and its bundle; returns how much that was. */
export async function acknowledgeFrom(
  ctx: RequestScope,
  escalation: EscalationRecord,
  { by, how }: { by: string | null; how: string },
): Promise<number> {
  const subjects = await listSubjects(ctx.db, escalation.id);
  const open = subjects.filter(({ is_over, acknowledged_at }) => !is_over && acknowledged_at === null);
  const [first, ...others] = open;
  if (!first) return 0;
  const title = titleOf([first, ...others]);
  const ids = open.flatMap(({ incident_id }) => incident_id ?? []).slice(0, ANNOUNCED_MAX);
  const members = await listIncidentsByIds(ctx.db, ids);
  const bundleIds = new Set(members.flatMap(({ bundle_id }) => bundle_id ?? []));
  const bundles = (await listIncidentsByIds(ctx.db, [...bundleIds])).filter((each) => each.acknowledged_at === null);
  const incidents = [...bundles, ...members];
  const publication = publish(
    ctx,
    incidents.map((incident) => acknowledgedEvent(incident, ctx.now)),
  );
  const acknowledged = acknowledgeSubjects(ctx.db, escalation.id, { by, now: ctx.now });
  await commit(ctx, [...acknowledged, ...publication.statements], {
    audit: {
      owner_id: escalation.owner_id,
      status_page_id: escalation.status_page_id,
      monitor_id: first.monitor_id,
      target_type: first.incident_id === null ? "escalation" : "incident",
      target_id: first.incident_id ?? escalation.id,
      summary: `acknowledged "${title}"${how}`,
    },
  });
  await publication.wake();
  await wakeEscalations(
    ctx,
    subjects.map(({ escalation_id }) => escalation_id),
  );
  return open.length;
}

function auditOf(incident: IncidentRecord, summary: string) {
  return {
    owner_id: incident.owner_id,
    status_page_id: incident.status_page_id,
    monitor_id: incident.origin_monitor_id,
    target_type: "incident",
    target_id: incident.id,
    summary,
  };
}
