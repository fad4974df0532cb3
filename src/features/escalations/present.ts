import type { Escalation, EscalationSummary } from "../../contract/on-call.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { EscalationDetail } from "./service.ts";

export function presentEscalation({ escalation, own, bundled, notifications }: EscalationDetail): Escalation {
  const { state } = escalation;
  const last = notifications.filter(({ level }) => level > 0).at(-1);
  return {
    ...presentEscalationSummary({ escalation, own }),
    level: last?.level ?? null,
    round: state?.round ?? null,
    bundled: bundled.map(({ incident_id, monitor_id, title }) => ({ incident_id, monitor_id, title })),
    notifications: notifications.map(({ id, level, contact_type, label, state: status, error, created_at }) => ({
      id,
      level,
      type: contact_type,
      label,
      status,
      error,
      created_at: toIso(created_at),
    })),
  };
}

export function presentEscalationSummary({
  escalation,
  own,
}: Pick<EscalationDetail, "escalation" | "own">): EscalationSummary {
  return {
    id: escalation.id,
    incident_id: own.incident_id,
    monitor_id: own.monitor_id,
    event: escalation.subject?.event_name ?? "incident.created",
    title: own.title,
    policy_id: escalation.policy_id,
    status: escalation.state?.status ?? "waiting",
    due_at: toIsoOrNull(escalation.state?.due_at ?? null),
    acknowledged_at: toIsoOrNull(own.acknowledged_at),
    bundle_id: escalation.bundle_id,
    started_at: toIso(escalation.started_at),
    created_at: toIso(escalation.created_at),
    updated_at: toIso(escalation.updated_at),
  };
}
