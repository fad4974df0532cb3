import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import type { Statement } from "../data/db.ts";
import { listHeldBelow, listIncidentsAbove } from "../data/dependencies/read.ts";
import { completeBundle, findBundle, hasOthersChanged, leaveBundle } from "../data/incidents/bundles.ts";
import { findOpenAutomaticIncident, type IncidentRecord } from "../data/incidents/read.ts";
import { affectIncident, insertAutomaticIncident, noteIncident, resolveIncident } from "../data/incidents/write.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { findLatestOutage } from "../data/outages/read.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { findCoveringWindow } from "../data/suppressed-outages/read.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { opensIncident, publishesIncident } from "../domain/automatic-incidents.ts";
import { describeSubject, type EventSubject } from "../domain/event-subject.ts";
import { outageIncidentEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent } from "./emit.ts";
import type { TransitionContext } from "./monitor-event.ts";
import { continuesLostOutage } from "./outages.ts";
import { withSubject } from "./subject.ts";

type IncidentScope = Pick<Scope, "db" | "settings" | "now">;

export interface IncidentEffects {
  statements: Statement[];
  events: EventOf<"incident.created" | "incident.resolved">[];
  /** The one of an outage that it opens, resolves or continues. */
  incident_id: string | null;
}

export const NONE: IncidentEffects = { statements: [], events: [], incident_id: null };

interface Flapping {
  /** As it is after the change. */
  is_flapping: boolean;
  /** This change began it. */
  has_begun: boolean;
}

const STEADY: Flapping = { is_flapping: false, has_begun: false };

/**
 * The automatic incident of an outage: opened when it begins, resolved when it ends, never a second one. While the monitor
 * flaps it stays open, regardless of further changes. Its id is derived from the outage, so a repeat writes the same
 * rows. One that a restore of D1 has lost is opened again without an event.
 */
export async function planIncidentEffects(
  scope: IncidentScope,
  context: TransitionContext,
  flapping: Flapping = STEADY,
): Promise<IncidentEffects> {
  const effects = await planOfChange(scope, context, flapping);
  return flapping.has_begun ? noteFlapping(scope, context, effects) : effects;
}

/** With the incident that a rule opened for the outage in place of the plain one. */
export function replaceIncident(
  scope: IncidentScope,
  context: TransitionContext,
  { opened, flapping }: { opened: IncidentEffects; flapping: Flapping },
): IncidentEffects {
  return flapping.has_begun ? noteFlapping(scope, context, opened) : opened;
}

/** A monitor in the timeline of its incident: the public knows nothing of what is hidden or internal. */
export function nameIn(
  incident: Pick<IncidentRecord, "is_public">,
  monitor: Pick<MonitorRecord, "name" | "parent_monitor_id" | "is_internal">,
): string {
  const isHidden = monitor.parent_monitor_id !== null || monitor.is_internal;
  return incident.is_public && isHidden ? "The service" : monitor.name;
}

async function planOfChange(
  scope: IncidentScope,
  context: TransitionContext,
  { is_flapping }: Flapping,
): Promise<IncidentEffects> {
  const { transition, monitor, page } = context;
  if (!page || !transition.outage) return NONE;
  const outageId = `${monitor.id}/${transition.outage.seq}`;
  const isDown = transition.event === "monitor.down" && opensIncident(monitor, page);
  const open = is_flapping || isDown ? await findOpenAutomaticIncident(scope.db, monitor.id) : undefined;
  if (is_flapping && open) return { ...NONE, incident_id: open.id };
  if (isDown && open) return { ...NONE, incident_id: open.id };
  if (isDown) return openWithAffected(scope, { monitor, page, transition }, outageId);
  if (transition.to === "up") {
    return closeIncident(scope, monitor, { outageId, ended_at: transition.effective_at, message: "is up again" });
  }
  return opensIncident(monitor, page) ? reopenLost(scope, { monitor, page, transition }, outageId) : NONE;
}

/** The timeline says so once. Nobody is notified: those who hear of incidents wait for its end. */
function noteFlapping(
  { db, now }: IncidentScope,
  { monitor }: TransitionContext,
  effects: IncidentEffects,
): IncidentEffects {
  const { incident_id } = effects;
  if (incident_id === null) return effects;
  const note = {
    id: idFrom("incident update", incident_id, "flapping"),
    incident_id,
    message: `${nameIn({ is_public: true }, monitor)} keeps failing and recovering. The incident stays open until it has been stable for 5 minutes.`,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  return { ...effects, statements: [...effects.statements, noteIncident(db, note)] };
}

/** The end of the incident of a monitor that flapped and is up; where an outage is open, that ends it. */
export async function planStableEnd(
  scope: IncidentScope,
  { monitor }: Pick<TransitionContext, "monitor">,
): Promise<IncidentEffects> {
  const outage = await findLatestOutage(scope.db, monitor.id);
  if (!outage || outage.ended_at === null) return NONE;
  const outageId = `${monitor.id}/${outage.seq}`;
  return closeIncident(scope, monitor, { outageId, ended_at: outage.ended_at, message: "is up again and stable" });
}

/** Its event was sent before the restore, and none in a maintenance window. */
async function reopenLost(scope: IncidentScope, context: OnPage, outageId: string): Promise<IncidentEffects> {
  const { monitor, transition } = context;
  if (!(await continuesLostOutage(scope.db, context))) return NONE;
  if ((await findCoveringWindow(scope.db, monitor.id, transition.effective_at)) !== null) return NONE;
  if (await findOpenAutomaticIncident(scope.db, monitor.id)) return NONE;
  return { ...openIncident(scope, context, outageId), events: [] };
}

/** A monitor that fails with what it depends on: the incidents of that list it, and say so once. */
export async function joinIncidentsAbove(
  { db, now }: IncidentScope,
  { transition, monitor, page }: TransitionContext,
): Promise<Statement[]> {
  if (!page) return [];
  const above = await listIncidentsAbove(db, monitor.id, page.id);
  return above.flatMap((incident) => joinIncident({ db, now }, incident, { ...monitor, outage_seq: transition.seq }));
}

function joinIncident(
  { db, now }: Pick<IncidentScope, "db" | "now">,
  incident: Pick<IncidentRecord, "id" | "is_public">,
  affected: Pick<MonitorRecord, "id" | "name" | "parent_monitor_id" | "is_internal"> & { outage_seq: number },
): Statement[] {
  const note = {
    id: idFrom("incident update", incident.id, "affected", `${affected.id}/${affected.outage_seq}`),
    incident_id: incident.id,
    message: `${affected.name} is affected.`,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  // The public knows nothing of what is hidden.
  const isNamed = nameIn(incident, affected) === affected.name;
  return [affectIncident(db, incident.id, affected.id), ...(isNamed ? [noteIncident(db, note)] : [])];
}

type OnPage = TransitionContext & { page: StatusPageRecord };

/** What failed first and depends on it is listed from the beginning. */
async function openWithAffected(scope: IncidentScope, context: OnPage, outageId: string): Promise<IncidentEffects> {
  const opened = openIncident(scope, context, outageId);
  const { incident_id } = opened;
  if (incident_id === null) return opened;
  const held = await listHeldBelow(scope.db, context.monitor.id, context.page.id);
  const joining = held.flatMap((monitor) =>
    joinIncident(scope, { id: incident_id, is_public: opened.is_public }, monitor),
  );
  return { ...opened, statements: [...opened.statements, ...joining] };
}

function openIncident(
  { db, settings, now }: IncidentScope,
  { monitor, page, transition }: OnPage,
  outageId: string,
): IncidentEffects & { is_public: boolean } {
  const incident: IncidentRecord = {
    id: idFrom("incident", outageId),
    owner_id: monitor.owner_id,
    created_by: null,
    status_page_id: page.id,
    title: `${monitor.name} is down`,
    description: null,
    severity: monitor.incident_severity,
    status: "investigating",
    impact: null,
    tags: [],
    assigned_to_id: null,
    is_public: publishesIncident(monitor, page),
    started_at: transition.effective_at,
    resolved_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
    origin_monitor_id: monitor.id,
    origin_outage_id: outageId,
    bundle_id: null,
    created_at: now,
    updated_at: now,
  };
  const first = {
    id: idFrom("incident update", outageId, "opened"),
    incident_id: incident.id,
    status: incident.status,
    message: `${monitor.name} is failing its checks.`,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  const subject = describeSubject(
    { ...incident, kind: "incident", monitor_ids: [monitor.id], group_ids: [], page },
    settings.PUBLIC_URL,
  );
  return {
    statements: [
      ...insertAutomaticIncident(db, incident, first),
      bumpPageVersion(db, page.id, now),
      incidentAudit(db, incident, { outageId, eventType: "incident.created", now }),
    ],
    events: [automaticEvent("incident.created", incident, { outageId, message: first.message, now, subject })],
    incident_id: incident.id,
    is_public: incident.is_public,
  };
}

interface Ending {
  outageId: string;
  ended_at: number;
  /** Of the monitor, in the timeline. */
  message: string;
}

async function closeIncident(
  scope: IncidentScope,
  monitor: MonitorRecord,
  { outageId, ended_at, message }: Ending,
): Promise<IncidentEffects> {
  const { db, now } = scope;
  // A user may have reopened the one of an earlier outage: it ends with the monitor's next up, too.
  const incident = await findOpenAutomaticIncident(db, monitor.id);
  if (!incident) return NONE;
  const resolved_at = Math.max(ended_at, incident.started_at);
  const last = {
    id: idFrom("incident update", outageId, "resolved"),
    incident_id: incident.id,
    status: "resolved" as const,
    message: `${nameIn(incident, monitor)} ${message}.`,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  const resolved: IncidentRecord = { ...incident, status: "resolved", resolved_at };
  const bundle = await closeBundle(scope, { incident, resolved_at });
  return {
    statements: [
      ...bundle.guards,
      ...resolveIncident(db, last, resolved_at),
      ...bundle.statements,
      // The page of the incident: the monitor may have moved to another one in the meantime.
      bumpPageVersion(db, incident.status_page_id, now),
      incidentAudit(db, resolved, { outageId, eventType: "incident.resolved", now }),
    ],
    events: [
      await withSubject(scope, automaticEvent("incident.resolved", resolved, { outageId, message: last.message, now })),
      ...bundle.events,
    ],
    incident_id: incident.id,
  };
}

/** The service leaves the incident that lists it, and the last one ends it. */
async function closeBundle(
  scope: IncidentScope,
  { incident, resolved_at }: { incident: IncidentRecord; resolved_at: number },
): Promise<{ guards: Statement[]; statements: Statement[]; events: IncidentEffects["events"] }> {
  const { db, now } = scope;
  const row = await findBundle(db, incident);
  if (!row || incident.origin_monitor_id === null) return { guards: [], statements: [], events: [] };
  const { bundle, others } = row;
  // Of two that end at once the one that is stored last ends the bundle.
  const guards = [failBatchWhen(db, "stale", hasOthersChanged(incident, others > 0))];
  const leaving = leaveBundle(db, bundle.id, incident.origin_monitor_id);
  if (others > 0 || bundle.status === "resolved") return { guards, statements: leaving, events: [] };
  const message = "All services are up again.";
  const outageId = incident.origin_outage_id ?? incident.id;
  const ended: IncidentRecord = { ...bundle, status: "resolved", resolved_at };
  const last = {
    id: idFrom("incident update", bundle.id, "resolved", outageId),
    incident_id: bundle.id,
    status: "resolved" as const,
    message,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  return {
    guards,
    statements: [
      ...leaving,
      ...resolveIncident(db, last, resolved_at),
      ...completeBundle(db, bundle.id),
      incidentAudit(db, ended, { outageId, eventType: "incident.resolved", now }),
    ],
    events: [await withSubject(scope, automaticEvent("incident.resolved", ended, { outageId, message, now }))],
  };
}

export function automaticEvent(
  name: "incident.created" | "incident.resolved",
  incident: IncidentRecord,
  { outageId, ...change }: { outageId: string; message: string; now: number; subject?: EventSubject },
): IncidentEffects["events"][number] {
  const id = outageIncidentEventId(name, { incident_id: incident.id, outage_id: outageId });
  const { name: _, ...event } = incidentEvent(incident, { id, name, notify_subscribers: true, ...change });
  return { ...event, name, data: { ...event.data, is_automatic: true } };
}
