import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { forgetRuleIncident, listEndedRuleIncidents } from "../data/event-rules/incidents.ts";
import { type IncidentRecord, isMoved } from "../data/incidents/read.ts";
import { resolveIncident } from "../data/incidents/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { describeEnd } from "../domain/rule-end.ts";
import { DAY_MS, SECOND_MS } from "../lib/durations.ts";
import { outageIncidentEventId } from "../outbox/event-ids.ts";
import { violates } from "../platform/d1-errors.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent, publish } from "./emit.ts";
import { nameIn } from "./incidents.ts";
import { withSubject } from "./subject.ts";

/** One takes up to twelve statements. */
const ENDS_PER_MINUTE = 60;

type Ended = Awaited<ReturnType<typeof listEndedRuleIncidents>>[number];

/**
 * Every minute: incidents that rules opened, and that are not of an outage, end with their cause. The state decides,
 * not an event, so that none stays open where the event was lost or the rule, monitor or agent is gone.
 */
export async function sweepRuleIncidents(scope: Scope): Promise<void> {
  for (const ended of await listEndedRuleIncidents(scope.db, scope.now, ENDS_PER_MINUTE)) {
    if (ended.incident.status === "resolved") {
      await runBatch(scope.db, [forgetRuleIncident(scope.db, ended.incident.id)]);
    } else {
      await endIncident(scope, ended);
    }
  }
}

async function endIncident(scope: Scope, ended: Ended): Promise<void> {
  const { db, now } = scope;
  const { incident, link } = ended;
  const resolved_at = Math.max(endedAt(ended, now), incident.started_at);
  const message = describeEnd({
    ends_with: link.ends_with,
    is_public: incident.is_public,
    rule_name: ended.rule?.display_name ?? link.rule_name,
    cooldown_seconds: ended.rule?.cooldown_seconds ?? 0,
    subject_name: nameOf(ended),
    has_rule: ended.rule !== null,
    silent_seconds: isSilent(ended, now) ? (link.silence_ms ?? DAY_MS) / SECOND_MS : null,
  });
  const resolved: IncidentRecord = { ...incident, status: "resolved", resolved_at };
  const outageId = incident.origin_outage_id ?? incident.id;
  const name = "incident.resolved";
  const id = outageIncidentEventId(name, { incident_id: incident.id, outage_id: outageId });
  const event = incidentEvent(resolved, { id, name, message, notify_subscribers: true, now });
  const publication = publish(scope, [await withSubject(scope, event)]);
  const last = {
    id: idFrom("incident update", incident.id, "rule ended"),
    incident_id: incident.id,
    status: "resolved" as const,
    message,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  try {
    await runBatch(db, [
      failBatchWhen(db, "stale", isMoved(incident)),
      ...resolveIncident(db, last, resolved_at),
      forgetRuleIncident(db, incident.id),
      bumpPageVersion(db, incident.status_page_id, now),
      incidentAudit(db, resolved, { outageId, eventType: name, reason: message, now }),
      ...publication.statements,
    ]);
  } catch (error) {
    // Somebody changed it in this moment; the next minute looks again.
    if (violates(error, "guard_stale")) return;
    throw error;
  }
  await publication.wake();
}

function nameOf({ link, incident, monitor, agent_name }: Ended): string | null {
  if (link.ends_with === "agent") return agent_name;
  return monitor && nameIn(incident, monitor);
}

function endedAt(ended: Ended, now: number): number {
  const { link, monitor } = ended;
  if (link.ends_with === "monitor" && monitor) return monitor.status_since;
  return Math.min(goodAt(ended) ?? now, now);
}

/** When values were good for the whole cooldown; null where they are not, or no rule says so. */
function goodAt({ link, rule }: Ended): number | null {
  return link.good_since === null || rule === null ? null : link.good_since + rule.cooldown_seconds * SECOND_MS;
}

function isSilent(ended: Ended, now: number): boolean {
  const { link, rule } = ended;
  return link.ends_with === "values" && rule !== null && (goodAt(ended) ?? Number.POSITIVE_INFINITY) > now;
}
