import type { EventOf } from "../contract/events.ts";
import { insertSystemAudit } from "../data/audit/write.ts";
import type { Db, Statement } from "../data/db.ts";
import type { IncidentRecord } from "../data/incidents/read.ts";
import type { MaintenanceRecord } from "../data/maintenance/read.ts";
import { describeTransition } from "../domain/transition-summary.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import type { TransitionContext } from "./monitor-event.ts";

/** Audit entry of a change of status, for the timeline of its monitor; named like its event where it has one. */
export function transitionAudit(db: Db, { transition, monitor }: TransitionContext, now: number): Statement {
  const { seq, from, to, effective_at, message, region, event } = transition;
  return insertSystemAudit(db, {
    id: idFrom("audit", monitor.id, "transition", String(seq)),
    owner_id: monitor.owner_id,
    event_type: event ?? "monitor.status_changed",
    monitor_id: monitor.id,
    status_page_id: monitor.status_page_id,
    target_type: "monitor",
    target_id: monitor.id,
    summary: `monitor "${monitor.name}" ${describeTransition(transition)}`,
    data: { from_status: from, to_status: to, at: toIso(effective_at), message, region },
    created_at: now,
  });
}

interface IncidentChange {
  outageId: string;
  eventType: "incident.created" | "incident.resolved";
  /** A sentence, where the service did not simply follow an outage. */
  reason?: string;
  now: number;
}

/** Audit entry of a change that the service made to an incident. Its id is derived, so that a repeat adds none. */
export function incidentAudit(
  db: Db,
  incident: IncidentRecord,
  { outageId, eventType, reason, now }: IncidentChange,
): Statement {
  return insertSystemAudit(db, {
    id: idFrom("audit", incident.id, eventType, outageId),
    owner_id: incident.owner_id,
    event_type: eventType,
    monitor_id: incident.origin_monitor_id,
    status_page_id: incident.status_page_id,
    target_type: "incident",
    target_id: incident.id,
    summary: `${eventType === "incident.created" ? "opened" : "resolved"} incident "${incident.title}"${reason ? `: ${reason}` : ""}`,
    data: { severity: incident.severity, is_public: incident.is_public },
    created_at: now,
  });
}

type Boundary = EventOf<"maintenance.started" | "maintenance.completed">;

/** Audit entry of a window that began or ended by its schedule. */
export function boundaryAudit(db: Db, window: MaintenanceRecord, { id, name, data }: Boundary, now: number): Statement {
  return insertSystemAudit(db, {
    id: idFrom("audit", id),
    owner_id: window.owner_id,
    event_type: name,
    monitor_id: null,
    status_page_id: window.status_page_id,
    target_type: "maintenance",
    target_id: window.id,
    summary: `maintenance "${window.title}" ${name === "maintenance.started" ? "began" : "ended"}`,
    data: { start: data.start, end: data.end },
    created_at: now,
  });
}

/** Audit entry of an agent that stopped reporting; a call of an agent is recorded where it is answered. */
export function agentOfflineAudit(db: Db, event: EventOf<"agent.offline">, now: number): Statement {
  return insertSystemAudit(db, {
    id: idFrom("audit", event.id),
    owner_id: event.owner_id,
    event_type: event.name,
    monitor_id: null,
    status_page_id: event.status_page_id,
    target_type: "agent",
    target_id: event.data.agent_id,
    summary: `agent "${event.data.agent_name}" went offline`,
    data: { last_seen_at: event.data.last_seen_at },
    created_at: now,
  });
}
