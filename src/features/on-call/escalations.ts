import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireIncident } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid, notFound } from "../../contract/errors.ts";
import {
  type EscalationNotificationRecord,
  type EscalationRecord,
  findEscalationOfIncident,
  listEscalationNotifications,
  loadEscalation,
} from "../../data/escalations/read.ts";
import { snoozeEscalation } from "../../data/escalations/write.ts";
import type { IncidentRecord } from "../../data/incidents/read.ts";
import { updateIncident } from "../../data/incidents/write.ts";
import { SNOOZE_MAX_MS } from "../../domain/escalation.ts";
import { continueEscalation, wakeEscalations } from "../../outbox/escalations.ts";
import { parseAcknowledgeToken } from "../../platform/acknowledge-tokens.ts";

export interface EscalationDetail {
  escalation: EscalationRecord;
  notifications: EscalationNotificationRecord[];
}

export async function readEscalation(ctx: RequestScope, incidentId: string): Promise<EscalationDetail> {
  await requireIncident(ctx, incidentId);
  const escalation = await findEscalationOfIncident(ctx.db, incidentId);
  if (!escalation) throw notFound("escalation");
  return { escalation, notifications: await listEscalationNotifications(ctx.db, escalation.id) };
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

export interface LinkedIncident {
  incident: IncidentRecord;
  page_name: string;
}

/** The incident that an acknowledge link is about; undefined for every other text. */
export async function findLinkedIncident(ctx: RequestScope, token: string): Promise<LinkedIncident | undefined> {
  const id = parseAcknowledgeToken(ctx.settings.ROOT_SECRET, token);
  const loaded = id === null ? undefined : await loadEscalation(ctx.db, id);
  return loaded && { incident: loaded.incident, page_name: loaded.page.name };
}

/** The link is the credential: whoever was notified may answer without signing in. Only the first answer counts. */
export async function acknowledgeByLink(ctx: RequestScope, { incident }: LinkedIncident): Promise<void> {
  if (incident.acknowledged_at !== null || incident.status === "resolved") return;
  const publication = continueEscalation(ctx, incident.id, ctx.now);
  const change = { acknowledged_at: ctx.now, acknowledged_by: null, updated_at: ctx.now };
  await commit(ctx, [updateIncident(ctx.db, incident.id, change), ...publication.statements], {
    audit: auditOf(incident, `acknowledged incident "${incident.title}" by the link of a notification`),
  });
  await publication.wake();
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
