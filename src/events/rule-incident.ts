import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import type { Statement } from "../data/db.ts";
import { incidentTemplates } from "../data/incident-templates/table.ts";
import { listAffectedNames } from "../data/incidents/names.ts";
import type { IncidentRecord } from "../data/incidents/read.ts";
import { insertIncident, insertIncidentUpdate, setAffected } from "../data/incidents/write.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { findRow } from "../data/rows.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { describeSubject } from "../domain/event-subject.ts";
import { fillPlaceholders, fillTitle, templateValues } from "../domain/incident-template.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent } from "./emit.ts";

interface Opening {
  template_id: string;
  /** Identifies the firing, so that a repeat opens no second incident. */
  firing_id: string;
  page: StatusPageRecord;
  monitor: MonitorRecord | null;
  at: number;
}

/** The incident that a firing opens from a template; none while the page's incidents are disabled. */
export async function planRuleIncident(
  scope: Pick<Scope, "db" | "settings" | "now">,
  { template_id, firing_id, page, monitor, at }: Opening,
): Promise<{ statements: Statement[]; events: EventOf<"incident.created">[] }> {
  const { db, now } = scope;
  const template = page.incident_system_enabled ? await findRow(db, incidentTemplates, template_id) : undefined;
  if (!template || template.status_page_id !== page.id) return { statements: [], events: [] };
  const affected = { monitor_ids: monitor ? [monitor.id] : [], group_ids: [] };
  const reach = { page_id: page.id, is_public: template.is_public };
  const values = templateValues({ page, names: await listAffectedNames(db, reach, affected), at });
  const incident: IncidentRecord = {
    id: idFrom("incident", firing_id),
    owner_id: page.owner_id,
    created_by: null,
    status_page_id: page.id,
    title: fillTitle(template.title, values),
    description: null,
    severity: template.severity,
    status: template.status,
    impact: null,
    tags: [],
    assigned_to_id: null,
    is_public: template.is_public,
    started_at: at,
    resolved_at: template.status === "resolved" ? now : null,
    acknowledged_at: null,
    acknowledged_by: null,
    origin_monitor_id: null,
    origin_outage_id: firing_id,
    bundle_id: null,
    created_at: now,
    updated_at: now,
  };
  const message = template.initial_update === null ? null : fillPlaceholders(template.initial_update, values);
  const update = {
    id: idFrom("incident update", firing_id, "opened"),
    incident_id: incident.id,
    status: incident.status,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  const change = { id: idFrom("event", incident.id, "incident.created"), name: "incident.created" as const, now };
  const subject = describeSubject({ ...incident, kind: "incident", ...affected, page }, scope.settings.PUBLIC_URL);
  const news = { ...change, message: message ?? incident.title, notify_subscribers: true, subject };
  const event = incidentEvent(incident, news);
  return {
    statements: [
      insertIncident(db, incident),
      ...setAffected(db, incident.id, affected),
      ...(message === null ? [] : [insertIncidentUpdate(db, { ...update, message })]),
      incidentAudit(db, incident, { outageId: firing_id, eventType: "incident.created", now }),
      bumpPageVersion(db, page.id, now),
    ],
    events: [{ ...event, name: "incident.created" }],
  };
}
