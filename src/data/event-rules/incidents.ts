import { and, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { agents } from "../agents/table.ts";
import type { Db, Statement } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { maintenance } from "../maintenance/table.ts";
import { monitors } from "../monitors/table.ts";
import { eventRules, ruleIncidents } from "./table.ts";

export type RuleIncidentRecord = typeof ruleIncidents.$inferSelect;

export function insertRuleIncident(db: Db, record: RuleIncidentRecord): Statement {
  return db.insert(ruleIncidents).values(record).onConflictDoNothing();
}

/** Those that these rules opened about one subject and that are not resolved. */
export function listOpenRuleIncidents(
  db: Db,
  ruleIds: readonly string[],
  subjectId: string | null,
): Promise<RuleIncidentRecord[]> {
  return db
    .select(columns)
    .from(ruleIncidents)
    .innerJoin(incidents, and(eq(incidents.id, ruleIncidents.incident_id), ne(incidents.status, "resolved")))
    .where(
      and(
        inArray(ruleIncidents.rule_id, [...ruleIds]),
        subjectId === null ? isNull(ruleIncidents.subject_id) : eq(ruleIncidents.subject_id, subjectId),
      ),
    )
    .limit(ruleIds.length);
}

const columns = {
  incident_id: ruleIncidents.incident_id,
  rule_id: ruleIncidents.rule_id,
  rule_name: ruleIncidents.rule_name,
  ends_with: ruleIncidents.ends_with,
  subject_id: ruleIncidents.subject_id,
  good_since: ruleIncidents.good_since,
  heard_at: ruleIncidents.heard_at,
  silence_ms: ruleIncidents.silence_ms,
};

/** As often at most an incident notes that values arrived. */
export const HEARD_EVERY_MS = 5 * MINUTE_MS;

type Measured = Pick<RuleIncidentRecord, "good_since" | "heard_at" | "silence_ms">;

/** That values arrived; `good_since` is null where the conditions hold. */
export function setMeasured(db: Db, incidentId: string, measured: Measured): Statement {
  return db.update(ruleIncidents).set(measured).where(eq(ruleIncidents.incident_id, incidentId));
}

export function forgetRuleIncident(db: Db, incidentId: string): Statement {
  return db.delete(ruleIncidents).where(eq(ruleIncidents.incident_id, incidentId));
}

const endsWith = (kind: RuleIncidentRecord["ends_with"], ended: SQL) =>
  sql`(${ruleIncidents.ends_with} = ${kind} AND (${ended}))`;

/**
 * Incidents whose cause is over or gone, with what says so. A monitor that is paused keeps its incident open, as it keeps an
 * outage. The table has no rows but those of open incidents.
 */
export function listEndedRuleIncidents(db: Db, now: number, limit: number) {
  const hasRule = sql`${eventRules.is_enabled} = 1`;
  return db
    .select({
      link: columns,
      incident: incidents,
      monitor: {
        id: monitors.id,
        name: monitors.name,
        parent_monitor_id: monitors.parent_monitor_id,
        is_internal: monitors.is_internal,
        status_since: monitors.status_since,
      },
      agent_name: agents.name,
      rule: {
        id: eventRules.id,
        display_name: eventRules.display_name,
        cooldown_seconds: eventRules.cooldown_seconds,
      },
    })
    .from(ruleIncidents)
    .innerJoin(incidents, eq(incidents.id, ruleIncidents.incident_id))
    .leftJoin(monitors, eq(monitors.id, ruleIncidents.subject_id))
    .leftJoin(agents, eq(agents.id, ruleIncidents.subject_id))
    .leftJoin(maintenance, eq(maintenance.id, ruleIncidents.subject_id))
    .leftJoin(eventRules, and(eq(eventRules.id, ruleIncidents.rule_id), hasRule))
    .where(
      or(
        eq(incidents.status, "resolved"),
        endsWith("monitor", sql`${monitors.id} IS NULL OR (${monitors.status} = 'up' AND ${monitors.flapping} = 0)`),
        endsWith("agent", sql`${agents.id} IS NULL OR ${agents.status} = 'online'`),
        endsWith(
          "maintenance",
          sql`${maintenance.occurrence_start_at} IS NULL
          OR ${maintenance.occurrence_end_at} <= ${now} OR ${maintenance.occurrence_start_at} > ${now}`,
        ),
        endsWith(
          "values",
          sql`${eventRules.id} IS NULL
          OR ${ruleIncidents.good_since} + ${eventRules.cooldown_seconds} * 1000 <= ${now}
          OR coalesce(${ruleIncidents.heard_at}, ${incidents.started_at})
            + coalesce(${ruleIncidents.silence_ms}, ${DAY_MS}) + ${HEARD_EVERY_MS} <= ${now}`,
        ),
      ),
    )
    .limit(limit);
}
