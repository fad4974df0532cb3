import { and, asc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { events } from "../events/table.ts";
import { monitors } from "../monitors/table.ts";
import type { IncidentRecord } from "./read.ts";
import { incidentMonitors, incidents } from "./table.ts";

/** Incidents of outages that began together are listed by one incident, which people meet in their place. */

/** More are not announced within a window. */
const TOGETHER_MAX = 1_000;

const listOf = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** Incidents that no other one lists: those that people meet. */
export const isListedAlone = isNull(incidents.bundle_id);

interface Recent {
  owner_id: string;
  status_page_id: string;
  since: number;
}

/** What began on a page since then: how many monitors went down, and the automatic incidents of theirs that are open. */
export async function listBeganTogether(db: Db, { owner_id, status_page_id, since }: Recent) {
  const isRecent = sql`${events.owner_id} = ${owner_id} AND ${events.status_page_id} = ${status_page_id}
    AND ${events.created_at} > ${since}`;
  const [rows, counts] = await db.batch([
    db
      .select()
      .from(incidents)
      .where(
        and(
          sql`${incidents.id} IN (SELECT ${events.data} ->> 'incident_id' FROM ${events} WHERE ${isRecent}
            AND ${events.name} = 'incident.created')`,
          isNotNull(incidents.origin_monitor_id),
          ne(incidents.status, "resolved"),
        ),
      )
      .orderBy(asc(incidents.started_at), asc(incidents.id))
      .limit(TOGETHER_MAX),
    db
      .select({
        down: sql<number>`count(DISTINCT ${events.monitor_id})`.as("down"),
        monitors: sql<number>`(SELECT count(*) FROM ${monitors} WHERE status_page_id = ${status_page_id})`.as(
          "monitors",
        ),
      })
      .from(events)
      .where(sql`${isRecent} AND ${events.name} = 'monitor.down'`),
  ]);
  return { incidents: rows, down: counts[0]?.down ?? 0, monitors: counts[0]?.monitors ?? 0 };
}

/** Nobody has worked on it, and no other incident lists it. */
export function isBundleable({ bundle_id, acknowledged_at, created_at, updated_at }: IncidentRecord): boolean {
  return bundle_id === null && acknowledged_at === null && created_at === updated_at;
}

/** Whether one of these changed since it was read; for the guard of the batch that bundles them. */
export function isNotBundleable(ids: readonly string[]): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM incidents i WHERE i.id = wanted.value AND i.bundle_id IS NULL AND i.acknowledged_at IS NULL
      AND i.updated_at = i.created_at AND i.status <> 'resolved'))`;
}

export function joinBundle(db: Db, bundleId: string, members: readonly IncidentRecord[]): Statement[] {
  const ids = members.map(({ id }) => id);
  return [
    db
      .update(incidents)
      .set({ bundle_id: bundleId })
      .where(sql`${incidents.id} IN ${listOf(ids)}`),
    db
      .insert(incidentMonitors)
      .select(
        sql`SELECT ${bundleId}, i.origin_monitor_id FROM incidents i
          WHERE i.id IN ${listOf(ids)} AND i.origin_monitor_id IS NOT NULL`,
      )
      .onConflictDoNothing(),
    retitleBundle(db, bundleId),
  ];
}

/** A service that recovered leaves the bundle that listed it. */
export function leaveBundle(db: Db, bundleId: string, monitorId: string): Statement[] {
  return [
    db
      .delete(incidentMonitors)
      .where(and(eq(incidentMonitors.incident_id, bundleId), eq(incidentMonitors.monitor_id, monitorId))),
    retitleBundle(db, bundleId),
  ];
}

const membersOf = (bundleId: string) => sql`FROM incidents m WHERE m.bundle_id = ${bundleId}`;
/** Without those whose monitor was deleted: nothing ends them. */
const openOf = (bundleId: string) =>
  sql`${membersOf(bundleId)} AND m.status <> 'resolved' AND m.origin_monitor_id IS NOT NULL`;
/** A title that a person chose stays. */
const hasOwnTitle = sql`${incidents.title} GLOB '[0-9]* service* down'`;

/** How many are down now, counted when the batch is committed. */
export function retitleBundle(db: Db, bundleId: string): Statement {
  const open = sql`(SELECT count(*) ${openOf(bundleId)})`;
  return db
    .update(incidents)
    .set({ title: sql`${open} || iif(${open} = 1, ' service is down', ' services are down')` })
    .where(and(eq(incidents.id, bundleId), ne(incidents.status, "resolved"), hasOwnTitle));
}

/** A bundle that ended names everything that it was about. */
export function completeBundle(db: Db, bundleId: string): Statement[] {
  return [
    db
      .update(incidents)
      .set({ title: sql`(SELECT count(DISTINCT m.origin_monitor_id) ${membersOf(bundleId)}) || ' services were down'` })
      .where(and(eq(incidents.id, bundleId), hasOwnTitle)),
    db
      .insert(incidentMonitors)
      .select(
        sql`SELECT DISTINCT ${bundleId}, m.origin_monitor_id ${membersOf(bundleId)} AND m.origin_monitor_id IS NOT NULL`,
      )
      .onConflictDoNothing(),
  ];
}

/** What a person decides about a bundle holds for all that it lists. */
export function updateOpenMembers(
  db: Db,
  bundleId: string,
  change: Partial<Pick<IncidentRecord, "status" | "resolved_at" | "is_public" | "acknowledged_at" | "acknowledged_by">>,
): Statement {
  const isUnanswered = change.acknowledged_at == null ? undefined : isNull(incidents.acknowledged_at);
  return db
    .update(incidents)
    .set(change)
    .where(
      and(
        eq(incidents.bundle_id, bundleId),
        isNotNull(incidents.bundle_id),
        ne(incidents.status, "resolved"),
        isUnanswered,
      ),
    );
}

/** The bundle of an incident, with how many others of it are open. */
export async function findBundle(db: Db, { id, bundle_id }: Pick<IncidentRecord, "id" | "bundle_id">) {
  if (bundle_id === null) return undefined;
  const [row] = await db
    .select({
      bundle: incidents,
      others: sql<number>`(SELECT count(*) ${openOf(bundle_id)} AND m.id <> ${id})`,
    })
    .from(incidents)
    .where(eq(incidents.id, bundle_id))
    .limit(1);
  return row;
}

/** True where it is no longer so that others of the bundle are open, or that none is. */
export function hasOthersChanged({ id, bundle_id }: Pick<IncidentRecord, "id" | "bundle_id">, hasOthers: boolean): SQL {
  const exists = sql`EXISTS (SELECT 1 ${openOf(bundle_id ?? "")} AND m.id <> ${id})`;
  return hasOthers ? sql`NOT ${exists}` : exists;
}

/** The bundles of these incidents, by the incidents' ids. */
export async function listBundleIds(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: incidents.id, bundle_id: sql<string>`${incidents.bundle_id}` })
    .from(incidents)
    .where(and(sql`${incidents.id} IN ${listOf(ids)}`, isNotNull(incidents.bundle_id)))
    .limit(ids.length);
  return new Map(rows.map((row) => [row.id, row.bundle_id]));
}

export async function listMemberIds(db: Db, bundleId: string): Promise<string[]> {
  const rows = await db
    .select({ id: incidents.id })
    .from(incidents)
    .where(and(eq(incidents.bundle_id, bundleId), isNotNull(incidents.bundle_id)))
    .limit(TOGETHER_MAX);
  return rows.map(({ id }) => id);
}

/** How many incidents that these list are open. */
export async function countOpenMembers(db: Db, bundleIds: readonly string[]): Promise<number> {
  if (bundleIds.length === 0) return 0;
  return db.$count(
    incidents,
    and(
      sql`${incidents.bundle_id} IN ${listOf(bundleIds)}`,
      isNotNull(incidents.bundle_id),
      isNotNull(incidents.origin_monitor_id),
      ne(incidents.status, "resolved"),
    ),
  );
}

interface Ending {
  bundle_ids: readonly string[];
  /** The incidents that end. */
  but: readonly string[];
}

/** The bundles that list an open incident besides these. */
export async function listBundlesWithOthers(db: Db, { bundle_ids, but }: Ending): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ bundle_id: sql<string>`${incidents.bundle_id}` })
    .from(incidents)
    .where(
      and(
        sql`${incidents.bundle_id} IN ${listOf(bundle_ids)}`,
        isNotNull(incidents.bundle_id),
        isNotNull(incidents.origin_monitor_id),
        ne(incidents.status, "resolved"),
        sql`${incidents.id} NOT IN ${listOf(but)}`,
      ),
    )
    .limit(bundle_ids.length);
  return new Set(rows.map(({ bundle_id }) => bundle_id));
}

/** Whether, by now, other bundles than these list an open incident besides those that end. */
export function haveOthersChanged({ bundle_ids, but }: Ending, withOthers: ReadonlySet<string>): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(bundle_ids)}) b WHERE
    (b.value IN ${listOf([...withOthers])}) <> EXISTS (SELECT 1 FROM incidents m WHERE m.bundle_id = b.value
      AND m.status <> 'resolved' AND m.origin_monitor_id IS NOT NULL AND m.id NOT IN ${listOf(but)}))`;
}
