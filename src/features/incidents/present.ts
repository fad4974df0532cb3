import type { Incident, IncidentStats, IncidentUpdate } from "../../contract/incident.ts";
import type { IncidentDetail } from "../../data/incidents/list.ts";
import type { IncidentUpdateRecord } from "../../data/incidents/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { StatsOfPage } from "./service.ts";

export function presentIncident(incident: IncidentDetail): Incident {
  return {
    id: incident.id,
    status_page_id: incident.status_page_id,
    title: incident.title,
    description: incident.description,
    severity: incident.severity,
    status: incident.status,
    impact: incident.impact,
    is_public: incident.is_public,
    monitor_ids: incident.monitor_ids,
    group_ids: incident.group_ids,
    assigned_to_id: incident.assigned_to_id,
    tags: JSON.stringify(incident.tags),
    created_automatically: incident.origin_outage_id !== null,
    started_at: toIso(incident.started_at),
    resolved_at: toIsoOrNull(incident.resolved_at),
    acknowledged_at: toIsoOrNull(incident.acknowledged_at),
    acknowledged_by: incident.acknowledged_by,
    updates: incident.updates.map(presentUpdate),
    created_by: incident.created_by,
    created_at: toIso(incident.created_at),
    updated_at: toIso(incident.updated_at),
  };
}

export function presentUpdate(update: IncidentUpdateRecord): IncidentUpdate {
  return {
    id: update.id,
    incident_id: update.incident_id,
    status: update.status,
    message: update.message,
    created_by: update.created_by,
    created_at: toIso(update.created_at),
    updated_at: toIso(update.updated_at),
  };
}

export function presentStats(stats: StatsOfPage): IncidentStats {
  return {
    from: toIso(stats.from),
    to: toIso(stats.to),
    total: stats.total,
    open: stats.open,
    mtta_seconds: stats.mtta_seconds,
    mttr_seconds: stats.mttr_seconds,
    by_severity: stats.by_severity,
    by_month: stats.by_month,
  };
}
