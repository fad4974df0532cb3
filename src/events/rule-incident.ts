import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import { insertRuleIncident, listOpenRuleIncidents, type RuleIncidentRecord } from "../data/event-rules/incidents.ts";
import type { EventRuleRecord } from "../data/event-rules/read.ts";
import { incidentTemplates } from "../data/incident-templates/table.ts";
import { listAffectedNames } from "../data/incidents/names.ts";
import { findOpenAutomaticIncident, type IncidentRecord } from "../data/incidents/read.ts";
import { insertAutomaticIncident, insertIncident, insertIncidentUpdate, setAffected } from "../data/incidents/write.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { findRow } from "../data/rows.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { describeSubject, type EventSubject } from "../domain/event-subject.ts";
import { fillPlaceholders, fillTitle, templateValues } from "../domain/incident-template.ts";
import { describeOpening, type RuleEnd, silenceOf } from "../domain/rule-end.ts";
import { incidentOpenedEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent } from "./emit.ts";
import { automaticEvent, type IncidentEffects, NONE } from "./incidents.ts";

type OpenedEvent = IncidentEffects["events"][number];

interface Opening {
  rule: Pick<EventRuleRecord, "id" | "display_name" | "conditions" | "cooldown_seconds">;
  template_id: string;
  /** Identifies the firing, so that a repeat opens no second incident. */
  firing_id: string;
  page: StatusPageRecord;
  monitor: MonitorRecord | null;
  /** Of the outage that the rule fired on. */
  outage_id: string | null;
  /** When that began, or the rule fired. */
  started_at: number;
  /** What ends an incident that is not of an outage. */
  end: RuleEnd | null;
}

/**
 * The incident that a firing opens from a template; none while the page's incidents are disabled. For an outage it is the
 * automatic one of the monitor, so that it ends with the outage, and an outage that has one already gets no second one. What
 * a rule opened about anything else that ends is ended by events/rule-incident-ends.ts, and until then it opens no other.
 */
export async function planRuleIncident(
  scope: Pick<Scope, "db" | "settings" | "now">,
  { rule, template_id, firing_id, page, monitor, outage_id, started_at, end }: Opening,
): Promise<IncidentEffects> {
  const { db, now } = scope;
  const template = page.incident_system_enabled ? await findRow(db, incidentTemplates, template_id) : undefined;
  if (!template || template.status_page_id !== page.id) return NONE;
  const origin = monitor && outage_id !== null ? { monitor, outage_id } : null;
  if (origin && (await findOpenAutomaticIncident(db, origin.monitor.id))) return NONE;
  const awaited = origin ? null : end;
  if (awaited && (await listOpenRuleIncidents(db, [rule.id], awaited.subject_id)).length > 0) return NONE;
  const affected = { monitor_ids: monitor ? [monitor.id] : [], group_ids: [] };
  const reach = { page_id: page.id, is_public: template.is_public };
  const values = templateValues({ page, names: await listAffectedNames(db, reach, affected), at: started_at });
  const incident: IncidentRecord = {
    id: idFrom("incident", origin?.outage_id ?? firing_id),
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
    started_at,
    resolved_at: template.status === "resolved" ? now : null,
    acknowledged_at: null,
    acknowledged_by: null,
    origin_monitor_id: origin?.monitor.id ?? null,
    origin_outage_id: origin?.outage_id ?? firing_id,
    bundle_id: null,
    created_at: now,
    updated_at: now,
  };
  const written = template.initial_update === null ? null : fillPlaceholders(template.initial_update, values);
  const told = written ?? (origin ? `${values.monitor} is failing its checks.` : null);
  const isOpenEnded = origin === null && awaited === null;
  const opening = describeOpening(rule.display_name, { isOpenEnded });
  const message = template.is_public ? told : [told ?? [], opening].flat().join("\n\n");
  const update = message === null ? null : { ...firstUpdate(incident), message };
  const subject = describeSubject({ ...incident, kind: "incident", ...affected, page }, scope.settings.PUBLIC_URL);
  const change = { message: message ?? incident.title, now, subject };
  return {
    statements: [
      ...(origin && update
        ? insertAutomaticIncident(db, incident, update)
        : [insertIncident(db, incident), ...setAffected(db, incident.id, affected)]),
      ...(origin || update === null ? [] : [insertIncidentUpdate(db, update)]),
      ...(awaited && incident.status !== "resolved"
        ? [insertRuleIncident(db, linkOf(incident, { rule, monitor, end: awaited }))]
        : []),
      incidentAudit(db, incident, {
        outageId: incident.origin_outage_id ?? firing_id,
        eventType: "incident.created",
        reason: opening,
        now,
      }),
      bumpPageVersion(db, page.id, now),
    ],
    events: [
      openedBy(
        firing_id,
        origin
          ? automaticEvent("incident.created", incident, { outageId: origin.outage_id, ...change })
          : openedEvent(incident, change),
      ),
    ],
    incident_id: incident.id,
  };
}

/** No rule is evaluated on what a rule opened, live or in a backtest. */
function openedBy(firing_id: string, event: OpenedEvent): OpenedEvent {
  return { ...event, data: { ...event.data, firing_id } };
}

function linkOf(
  { id, started_at }: IncidentRecord,
  { rule, monitor, end }: Pick<Opening, "rule" | "monitor"> & { end: RuleEnd },
): RuleIncidentRecord {
  const values = end.ends_with === "values";
  return {
    incident_id: id,
    rule_id: rule.id,
    rule_name: rule.display_name,
    ...end,
    good_since: null,
    heard_at: values ? started_at : null,
    silence_ms: values ? silenceOf(rule, monitor?.interval ?? 0) : null,
  };
}

function firstUpdate({ id, origin_outage_id, status, created_at, updated_at }: IncidentRecord) {
  const updateId = idFrom("incident update", origin_outage_id ?? id, "opened");
  return { id: updateId, incident_id: id, status, created_by: null, created_at, updated_at };
}

function openedEvent(
  incident: IncidentRecord,
  change: { message: string; now: number; subject: EventSubject },
): EventOf<"incident.created"> {
  const name = "incident.created" as const;
  const id = incidentOpenedEventId(incident.id);
  return { ...incidentEvent(incident, { id, name, notify_subscribers: true, ...change }), name };
}
