import { and, eq, lte, sql } from "drizzle-orm";
import type { StoredRuleContent } from "../../contract/event-rule.ts";
import { KNOWN_EVENT_NAMES } from "../../contract/events.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { isPushed } from "./history.ts";
import type { EventLogRecord, EventRuleRecord, EventRuleVersionRecord } from "./read.ts";
import { eventLog, eventRules, eventRuleVersions } from "./table.ts";

/** D1 binds a hundred parameters at most, and a rule has fewer than thirty columns. */
const RULES_PER_INSERT = 4;

export function insertEventRules(db: Db, rules: readonly EventRuleRecord[]): Statement[] {
  const statements: Statement[] = [];
  for (let from = 0; from < rules.length; from += RULES_PER_INSERT) {
    statements.push(db.insert(eventRules).values(rules.slice(from, from + RULES_PER_INSERT)));
  }
  return statements;
}

type Change = StoredRuleContent & Pick<EventRuleRecord, "version" | "updated_at">;

export function updateEventRule(db: Db, ruleId: string, change: Change): Statement {
  return db.update(eventRules).set(change).where(eq(eventRules.id, ruleId));
}

export function deleteEventRule(db: Db, ruleId: string): Statement {
  return db.delete(eventRules).where(eq(eventRules.id, ruleId));
}

/** Keeps the newest `kept` versions. */
export function insertRuleVersion(db: Db, version: EventRuleVersionRecord, kept: number): Statement[] {
  const isOld = lte(eventRuleVersions.version, version.version - kept);
  return [
    db.insert(eventRuleVersions).values(version),
    db.delete(eventRuleVersions).where(and(eq(eventRuleVersions.rule_id, version.rule_id), isOld)),
  ];
}

/** Rules with a name of the service's own events listen to those alone. */
const listensToMetrics = sql`${eventRules.is_enabled} = 1 AND ${eventRules.conditions} <> '[]'
  AND ${eventRules.event_name} NOT IN (SELECT value FROM json_each(${JSON.stringify([...KNOWN_EVENT_NAMES])}))`;

/** Whether a rule of its page listens to what a monitor measures; one of an agent listens to metrics of its host. */
const hasMetricRules = sql<boolean>`EXISTS (SELECT 1 FROM ${eventRules}
  WHERE ${eventRules.status_page_id} = ${monitors.status_page_id} AND ${listensToMetrics} AND ${eventRules.agent_id} IS NULL
    AND (${eventRules.monitor_id} IS NULL OR ${eventRules.monitor_id} = ${monitors.id}))`;
const isNoteStale = sql`${monitors.has_metric_rules} <> ${hasMetricRules}`;

/**
 * After rules of the page were inserted, changed or deleted. A runner reads the row of its monitors; the object of a pushed
 * one has to learn the change, so that its configuration gets a new version.
 */
export function countPageRules(db: Db, pageId: string): Statement[] {
  const ofPage = eq(eventRules.status_page_id, pageId);
  const enabled = sql<number>`(SELECT count(*) FROM ${eventRules} WHERE ${ofPage} AND ${eventRules.is_enabled} = 1)`;
  const measured = sql<number>`(SELECT count(*) FROM ${eventRules} WHERE ${ofPage} AND ${listensToMetrics})`;
  const config_version = sql`${monitors.config_version} + (${isPushed})`;
  return [
    db
      .update(monitors)
      .set({ has_metric_rules: hasMetricRules, config_version })
      .where(and(eq(monitors.status_page_id, pageId), isNoteStale)),
    db.update(statusPages).set({ enabled_rules: enabled, metric_rules: measured }).where(eq(statusPages.id, pageId)),
  ];
}

/** Of monitors that come to a page with a configuration that their objects read anyway. */
export function noteMetricRules(db: Db, monitorIds: readonly string[]): Statement {
  const isNamed = sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`;
  return db.update(monitors).set({ has_metric_rules: hasMetricRules }).where(and(isNamed, isNoteStale));
}

export function recordFiring(
  db: Db,
  ruleId: string,
  { last_fired_at, fired_at }: { last_fired_at: number | null; fired_at: readonly number[] },
): Statement {
  return db
    .update(eventRules)
    .set({ last_fired_at, fired_at: [...fired_at], fire_count: sql`${eventRules.fire_count} + 1` })
    .where(eq(eventRules.id, ruleId));
}

/** An entry is known by its id: writing it twice stores it once. */
export function insertLogEntry(db: Db, entry: EventLogRecord): Statement {
  return db.insert(eventLog).values(entry).onConflictDoNothing();
}
