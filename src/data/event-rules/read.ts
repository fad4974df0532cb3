import { and, asc, count, desc, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { EventClassification } from "../../contract/events.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { onPages } from "../filters.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { monitors } from "../monitors/table.ts";
import type { StatusPageRecord } from "../status-pages/read.ts";
import { statusPages } from "../status-pages/table.ts";
import { webhooks } from "../webhooks/table.ts";
import { eventLog, eventRules, eventRuleVersions } from "./table.ts";

export type EventRuleRecord = typeof eventRules.$inferSelect;
export type EventRuleVersionRecord = typeof eventRuleVersions.$inferSelect;
export type EventLogRecord = typeof eventLog.$inferSelect;

/** Counting stops here: a long log would be read in full for one number. */
const TOTAL_MAX = 10_000;

export async function findEventRule(db: Db, ruleId: string): Promise<EventRuleRecord | undefined> {
  const rows = await db.select().from(eventRules).where(eq(eventRules.id, ruleId)).limit(1);
  return rows[0];
}

/** By page, in the order in which they were created. */
export async function listEventRules(db: Db, pageIds: readonly string[], { limit, offset }: Pagination) {
  const wanted = onPages(eventRules.status_page_id, pageIds);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(eventRules)
      .where(wanted)
      .orderBy(asc(eventRules.status_page_id), asc(eventRules.created_at), asc(eventRules.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(eventRules).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** In the order in which they were created. */
export async function listRulesByIds(db: Db, pageId: string, ruleIds: readonly string[]): Promise<EventRuleRecord[]> {
  return db
    .select()
    .from(eventRules)
    .where(
      and(
        eq(eventRules.status_page_id, pageId),
        sql`${eventRules.id} IN (SELECT value FROM json_each(${JSON.stringify(ruleIds)}))`,
      ),
    )
    .orderBy(asc(eventRules.created_at), asc(eventRules.id));
}

/** Newest first. */
export async function listRuleVersions(db: Db, ruleId: string, { limit, offset }: Pagination) {
  const wanted = eq(eventRuleVersions.rule_id, ruleId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(eventRuleVersions)
      .where(wanted)
      .orderBy(desc(eventRuleVersions.version))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(eventRuleVersions).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findRuleVersion(
  db: Db,
  ruleId: string,
  version: number,
): Promise<EventRuleVersionRecord | undefined> {
  const wanted = and(eq(eventRuleVersions.rule_id, ruleId), eq(eventRuleVersions.version, version));
  const rows = await db.select().from(eventRuleVersions).where(wanted).limit(1);
  return rows[0];
}

/** Enabled rules of a page that may listen to one of these events; a page has a bounded number. */
export function listRulesOnEvents(db: Db, pageId: string, names: readonly string[]): Promise<EventRuleRecord[]> {
  return selectEnabled(db, eq(eventRules.status_page_id, pageId), inArray(eventRules.event_name, [...names]));
}

const HAS_CONDITIONS = sql`${eventRules.conditions} <> '[]'`;

/** A monitor whose metrics arrived, its page and the rules of the page that metrics may fire: one round trip. */
export async function findMonitorWithRules(db: Db, monitorId: string) {
  const pageId = sql`(SELECT ${monitors.status_page_id} FROM ${monitors} WHERE ${monitors.id} = ${monitorId})`;
  const [[monitor], [page], rules] = await db.batch([
    db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1),
    db.select().from(statusPages).where(eq(statusPages.id, pageId)).limit(1),
    selectEnabled(db, eq(eventRules.status_page_id, pageId), HAS_CONDITIONS),
  ]);
  return monitor && page && { monitor, page, rules };
}

export interface PageWithRules {
  page: StatusPageRecord;
  rules: EventRuleRecord[];
}

/** The same for metrics of a host, whose agent belongs to the page. */
export async function findPageWithRules(db: Db, pageId: string): Promise<PageWithRules | undefined> {
  const [found] = await listPagesWithRules(db, [pageId]);
  return found;
}

/** The same for results of monitors of several pages. */
export async function listPagesWithRules(db: Db, pageIds: readonly string[]): Promise<PageWithRules[]> {
  const named = sql`(SELECT value FROM json_each(${JSON.stringify(pageIds)}))`;
  const [pages, rules] = await db.batch([
    db.select().from(statusPages).where(sql`${statusPages.id} IN ${named}`).limit(pageIds.length),
    selectEnabled(db, sql`${eventRules.status_page_id} IN ${named}`, HAS_CONDITIONS),
  ]);
  const rulesOf = Map.groupBy(rules, ({ status_page_id }) => status_page_id);
  return pages.map((page) => ({ page, rules: rulesOf.get(page.id) ?? [] }));
}

function selectEnabled(db: Db, ...wanted: SQL[]) {
  return db
    .select()
    .from(eventRules)
    .where(and(...wanted, eq(eventRules.is_enabled, true)))
    .orderBy(asc(eventRules.created_at), asc(eventRules.id));
}

/** The condition under which a rule fired, changed or was deleted since it was read. */
export function isRuleStale({ id, version, fire_count }: EventRuleRecord): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${eventRules} WHERE ${eventRules.id} = ${id}
    AND ${eventRules.version} = ${version} AND ${eventRules.fire_count} = ${fire_count})`;
}

/** Those of these log entries that are stored. */
export async function listStoredEntries(db: Db, entryIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: eventLog.id })
    .from(eventLog)
    .where(sql`${eventLog.id} IN (SELECT value FROM json_each(${JSON.stringify(entryIds)}))`)
    .limit(entryIds.length);
  return rows.map(({ id }) => id);
}

/** The condition under which a page would have more rules than allowed. */
export function hasMoreRulesThan(pageId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${eventRules} WHERE ${eventRules.status_page_id} = ${pageId}) > ${max}`;
}

/** The condition under which a rule was changed or deleted since it was read. */
export function isRuleChanged({ id, version }: Pick<EventRuleRecord, "id" | "version">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${eventRules} WHERE ${eventRules.id} = ${id} AND ${eventRules.version} = ${version})`;
}

export interface NamedIds {
  monitor: readonly string[];
  agent: readonly string[];
  incident_template: readonly string[];
  webhook: readonly string[];
}

export interface UsableScope {
  status_page_id: string;
  owner_id: string;
  /** Whether webhooks of the owner without a page count as well. */
  with_unpaged: boolean;
}

/** Those of the named ids that rules of a page may use. */
export async function listUsableIds(
  db: Db,
  { status_page_id, owner_id, with_unpaged }: UsableScope,
  named: NamedIds,
): Promise<ReadonlySet<string>> {
  const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const onPage = eq(webhooks.status_page_id, status_page_id);
  const unpaged = and(isNull(webhooks.status_page_id), eq(webhooks.owner_id, owner_id));
  const found = await db.batch([
    db
      .select({ id: monitors.id })
      .from(monitors)
      .where(and(sql`${monitors.id} IN ${among(named.monitor)}`, eq(monitors.status_page_id, status_page_id))),
    db
      .select({ id: agents.id })
      .from(agents)
      .where(and(sql`${agents.id} IN ${among(named.agent)}`, eq(agents.status_page_id, status_page_id))),
    db
      .select({ id: incidentTemplates.id })
      .from(incidentTemplates)
      .where(
        and(
          sql`${incidentTemplates.id} IN ${among(named.incident_template)}`,
          eq(incidentTemplates.status_page_id, status_page_id),
        ),
      ),
    db
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(and(sql`${webhooks.id} IN ${among(named.webhook)}`, with_unpaged ? or(onPage, unpaged) : onPage)),
  ]);
  return new Set(found.flat().map(({ id }) => id));
}

export interface EventLogFilter {
  event_name?: readonly string[];
  classification?: readonly EventClassification[];
  monitor_id?: string;
  rule_id?: string;
  from?: number;
  to?: number;
}

export async function findLogEntry(db: Db, entryId: string): Promise<EventLogRecord | undefined> {
  const rows = await db.select().from(eventLog).where(eq(eventLog.id, entryId)).limit(1);
  return rows[0];
}

/** Newest first. */
export async function listEventLog(db: Db, pageId: string, filter: EventLogFilter, page: Pagination) {
  const wanted = and(
    eq(eventLog.status_page_id, pageId),
    filter.event_name && inArray(eventLog.event_name, [...filter.event_name]),
    filter.classification && inArray(eventLog.classification, [...filter.classification]),
    filter.monitor_id === undefined ? undefined : eq(eventLog.monitor_id, filter.monitor_id),
    filter.rule_id === undefined ? undefined : eq(eventLog.rule_id, filter.rule_id),
    filter.from === undefined ? undefined : gte(eventLog.created_at, filter.from),
    filter.to === undefined ? undefined : lt(eventLog.created_at, filter.to),
  );
  const counted = db.select({ one: sql`1` }).from(eventLog).where(wanted).limit(TOTAL_MAX).as("counted");
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(eventLog)
      .where(and(wanted, isBelow(page, eventLog.created_at, eventLog.id)))
      .orderBy(desc(eventLog.created_at), desc(eventLog.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(counted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}
