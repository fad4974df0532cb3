import { and, eq, lte, sql } from "drizzle-orm";
import type { StoredRuleContent } from "../../contract/event-rule.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { isPushedOn } from "./history.ts";
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

/**
 * After rules of the page were inserted, changed or deleted. Where the first rule on metrics came or the last one went, the
 * objects of the page's pushed monitors have to learn it, so their configuration gets a new version.
 */
export function countPageRules(db: Db, pageId: string): Statement[] {
  const enabled = sql<number>`(SELECT count(*) FROM ${eventRules}
    WHERE ${eventRules.status_page_id} = ${pageId} AND ${eventRules.is_enabled} = 1)`;
  const measured = sql<number>`(SELECT count(*) FROM ${eventRules}
    WHERE ${eventRules.status_page_id} = ${pageId} AND ${eventRules.is_enabled} = 1 AND ${eventRules.conditions} <> '[]')`;
  const known = sql`(SELECT ${statusPages.metric_rules} > 0 FROM ${statusPages} WHERE ${statusPages.id} = ${pageId})`;
  return [
    db
      .update(monitors)
      .set({ config_version: sql`${monitors.config_version} + 1` })
      .where(and(isPushedOn(pageId), sql`${known} <> (${measured} > 0)`)),
    db.update(statusPages).set({ enabled_rules: enabled, metric_rules: measured }).where(eq(statusPages.id, pageId)),
  ];
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
