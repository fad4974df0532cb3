import { and, count, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { IncidentFilter } from "../../contract/incident.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { containsText, holdsOneOf, isOneOf } from "../filters.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { writtenOrder, writtenPlace } from "../written-order.ts";
import { isListedAlone } from "./bundles.ts";
import type { IncidentRecord, IncidentUpdateRecord } from "./read.ts";
import { incidentGroups, incidentMonitors, incidents, incidentUpdates } from "./table.ts";
import { isOnPageOfIncident } from "./write.ts";

/** An incident with its newest updates, newest first, and what it affects. */
export interface IncidentDetail extends IncidentRecord {
  updates: IncidentUpdateRecord[];
  monitor_ids: string[];
  group_ids: string[];
}

interface Page {
  limit: number;
  offset: number;
}

type Scope = { visible_to: Viewer } | { status_page_id: string };

export async function listIncidents(db: Db, scope: Scope, filter: IncidentFilter, page: Pagination) {
  const { created_automatically, from, to } = filter;
  const wanted = and(
    isListedAlone,
    "visible_to" in scope ? visibleTo(scope.visible_to, incidents) : eq(incidents.status_page_id, scope.status_page_id),
    isOneOf(incidents.status, filter.status),
    isOneOf(incidents.severity, filter.severity),
    isOneOf(incidents.assigned_to_id, filter.assigned_to_id),
    holdsOneOf(incidents.tags, filter.tag),
    affectsOneOf(filter.monitor_id),
    containsText([incidents.title, incidents.description], filter.q),
    created_automatically === undefined
      ? undefined
      : sql`${incidents.origin_outage_id} IS ${created_automatically ? sql`NOT NULL` : sql`NULL`}`,
    from === undefined ? undefined : gte(incidents.started_at, from),
    to === undefined ? undefined : lt(incidents.started_at, to),
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(incidents)
      .where(and(wanted, isBelow(page, incidents.started_at, incidents.id)))
      .orderBy(desc(incidents.started_at), desc(incidents.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(incidents).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** By itself or by its group. */
function affectsOneOf(monitorIds: readonly string[] | undefined): SQL | undefined {
  if (monitorIds === undefined) return undefined;
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`;
  return sql`${incidents.id} IN (
    SELECT ${incidentMonitors.incident_id} FROM ${incidentMonitors} WHERE ${incidentMonitors.monitor_id} IN ${ids}
    UNION SELECT ${incidentGroups.incident_id} FROM ${incidentGroups} WHERE ${incidentGroups.group_id} IN
      (SELECT m.group_id FROM monitors m WHERE m.id IN ${ids} AND m.group_id IS NOT NULL))`;
}

/** Loads what belongs to these incidents, in one round trip for all of them. */
export async function detailIncidents(
  db: Db,
  found: readonly IncidentRecord[],
  updatesMax: number,
): Promise<IncidentDetail[]> {
  if (found.length === 0) return [];
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(found.map(({ id }) => id))}))`;
  const newest = sql`(SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY incident_id ORDER BY created_at DESC, rowid DESC) AS place
    FROM incident_updates WHERE incident_id IN ${ids}) WHERE place <= ${updatesMax})`;
  const [updates, monitors, groups] = await db.batch([
    db
      .select()
      .from(incidentUpdates)
      .where(sql`${incidentUpdates.id} IN ${newest}`)
      .orderBy(desc(incidentUpdates.created_at), desc(writtenOrder(incidentUpdates))),
    db
      .select({ incident_id: incidentMonitors.incident_id, monitor_id: incidentMonitors.monitor_id })
      .from(incidentMonitors)
      .where(and(sql`${incidentMonitors.incident_id} IN ${ids}`, isOnPageOfIncident)),
    db.select().from(incidentGroups).where(sql`${incidentGroups.incident_id} IN ${ids}`),
  ]);
  const updatesOf = Map.groupBy(updates, (update) => update.incident_id);
  const monitorsOf = Map.groupBy(monitors, (link) => link.incident_id);
  const groupsOf = Map.groupBy(groups, (link) => link.incident_id);
  return found.map((incident) => ({
    ...incident,
    updates: updatesOf.get(incident.id) ?? [],
    monitor_ids: (monitorsOf.get(incident.id) ?? []).map((link) => link.monitor_id),
    group_ids: (groupsOf.get(incident.id) ?? []).map((link) => link.group_id),
  }));
}

export async function listIncidentUpdates(db: Db, incidentId: string, page: Page) {
  const wanted = eq(incidentUpdates.incident_id, incidentId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(incidentUpdates)
      .where(wanted)
      .orderBy(desc(incidentUpdates.created_at), desc(writtenOrder(incidentUpdates)))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(incidentUpdates).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** How many updates of its incident are newer than this one. */
export async function countNewerIncidentUpdates(db: Db, { incident_id, created_at, id }: IncidentUpdateRecord) {
  const place = writtenPlace(incidentUpdates, id);
  const isNewer = sql`(${incidentUpdates.created_at}, ${writtenOrder(incidentUpdates)}) > (${created_at}, ${place})`;
  return db.$count(incidentUpdates, and(eq(incidentUpdates.incident_id, incident_id), isNewer));
}

/** What statistics are made of: the newest `limit` incidents of a page that began since then. */
export async function listIncidentTimes(db: Db, scope: { status_page_id: string; since: number; limit: number }) {
  return db
    .select({
      severity: incidents.severity,
      started_at: incidents.started_at,
      acknowledged_at: incidents.acknowledged_at,
      resolved_at: incidents.resolved_at,
    })
    .from(incidents)
    .where(
      and(isListedAlone, eq(incidents.status_page_id, scope.status_page_id), gte(incidents.started_at, scope.since)),
    )
    .orderBy(desc(incidents.started_at))
    .limit(scope.limit);
}
