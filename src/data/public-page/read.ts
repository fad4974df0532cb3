import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  lt,
  lte,
  ne,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { AgentNames, HiddenMember } from "../../contract/public-page.ts";
import { unpackDays } from "../../domain/daily-aggregates.ts";
import { selectServedDomain } from "../custom-domains/read.ts";
import { dailyAggregates } from "../daily-aggregates/table.ts";
import type { Db } from "../db.ts";
import { isListedAlone } from "../incidents/bundles.ts";
import { incidentGroups, incidentMonitors, incidents, incidentUpdates } from "../incidents/table.ts";
import { selectCountingPages, selectCoverage } from "../maintenance/time.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { isResting } from "../monitors/read.ts";
import { monitors, plannedMinutes, statusIntervals } from "../monitors/table.ts";
import { INTERVAL_COLUMNS } from "../status-intervals/read.ts";
import { statusPages } from "../status-pages/table.ts";
import { writtenOrder } from "../written-order.ts";
import { joinMaintenance, recentMaintenance, selectMaintenance, selectTargets } from "./maintenance.ts";
import { newestTexts } from "./newest-texts.ts";
import { affectsPublicPage, isPubliclyVisible } from "./visible-monitors.ts";

const INCIDENTS_MAX = 100;
const UPDATES_MAX = 1000;

/** What a reader has to know before it may serve anything: two rows, in one round trip. */
export async function findPageVersion(db: Db, slug: string) {
  const rows = await db
    .select({
      id: statusPages.id,
      is_public: statusPages.is_public,
      password_hash: statusPages.password_hash,
      version: statusPages.version,
      late_since: statusPages.checks_late_since,
      last_tick_at: sql<number | null>`(SELECT max(minute_at) FROM ${plannedMinutes})`,
    })
    .from(statusPages)
    .where(eq(statusPages.slug, slug))
    .limit(1);
  return rows[0];
}

/** The version of a page, and who may see it. */
export async function findVersionOfPage(db: Db, pageId: string) {
  const { version, is_public, password_hash } = statusPages;
  const rows = await db
    .select({ version, is_public, password_hash })
    .from(statusPages)
    .where(eq(statusPages.id, pageId))
    .limit(1);
  return rows[0];
}

/** A composite's members, which the page does not show themselves. Named in full, or the inner table's id would be meant. */
const MEMBERS =
  sql<string>`(SELECT json_group_array(json_object('id', c.id, 'group_id', c.group_id, 'status', c.status))
  FROM monitors c WHERE c.parent_monitor_id = monitors.id)`.as("members");

/** The names of the agents among a monitor's locations; looked up only where there are any. */
const AGENT_NAMES = sql<string>`CASE WHEN instr(monitors.locations, 'agent:') = 0 THEN '{}' ELSE
  (SELECT json_group_object('agent:' || a.id, a.name) FROM json_each(monitors.locations) l
    JOIN agents a ON a.id = substr(l.value, 7)) END`.as("agent_names");

/** Whether the service's own clock has to run for what the page says to be true: its checks, and the watch over agents. */
const needsTicks = (pageId: string) =>
  sql<number>`EXISTS (SELECT 1 FROM ${monitors} m WHERE m.status_page_id = ${pageId} AND ${affectsPublicPage}
    AND (m.check_group_id <> '' OR m.agent_id IS NOT NULL OR m.locations <> '[]'))`;

/** The one place that decides which incidents the public sees. */
const isPublished = (pageId: string) =>
  and(eq(incidents.status_page_id, pageId), eq(incidents.is_public, true), isListedAlone);

/** Everything that a payload is made of, as of one moment; with `at`, incidents alone that were there by then. */
export async function readPublicPage(
  db: Db,
  pageId: string,
  since: { days: number; month: string; resolved: number; now: number },
  at?: number,
) {
  const recent = and(
    isPublished(pageId),
    or(ne(incidents.status, "resolved"), gte(incidents.resolved_at, since.resolved)),
    at === undefined ? undefined : and(lte(incidents.started_at, at), lte(incidents.created_at, at)),
  );
  const [
    pages,
    served,
    ticking,
    groups,
    shown,
    aggregates,
    intervals,
    windows,
    linked,
    said,
    past,
    targets,
    coverage,
    counting,
    found,
    updates,
    affected,
  ] = await db.batch([
    db.select().from(statusPages).where(eq(statusPages.id, pageId)),
    selectServedDomain(db, pageId),
    db.select({ needs_ticks: needsTicks(pageId) }).from(sql`(SELECT 1)`),
    db
      .select({ id: monitorGroups.id, name: monitorGroups.name })
      .from(monitorGroups)
      .where(eq(monitorGroups.status_page_id, pageId))
      .orderBy(asc(monitorGroups.position), asc(monitorGroups.id)),
    db
      .select({
        id: monitors.id,
        name: monitors.name,
        group_id: monitors.group_id,
        status: monitors.status,
        status_since: monitors.status_since,
        is_resting: isResting,
        created_at: monitors.created_at,
        page_since: monitors.page_since,
        status_page_id: monitors.status_page_id,
        regions: monitors.regions,
        locations: monitors.locations,
        locations_down: monitors.locations_down,
        agent_names: AGENT_NAMES,
        members: MEMBERS,
      })
      .from(monitors)
      .where(isPubliclyVisible(pageId))
      .orderBy(asc(monitors.position), asc(monitors.id)),
    selectDailyAggregates(db, pageId, since.month),
    selectIntervals(db, pageId, since),
    ...selectMaintenance(db, pageId, { chosen: recentMaintenance(pageId, since.resolved), since: since.resolved }),
    selectTargets(db, recentMaintenance(pageId, since.resolved)),
    selectCoverage(db, sql`(${pageId})`, { since: since.days, now: since.now }),
    selectCountingPages(db, sql`(${pageId})`),
    ...selectIncidents(db, pageId, recent),
  ]);
  return {
    maintenance: joinMaintenance(windows, linked, said, past),
    page: pages[0],
    domain: served[0]?.hostname ?? null,
    needs_ticks: ticking[0]?.needs_ticks === 1,
    groups,
    monitors: shown.map(({ members, agent_names, ...monitor }) => ({
      ...monitor,
      agent_names: AgentNames.parse(JSON.parse(agent_names)),
      members: HiddenMember.array().parse(JSON.parse(members)),
    })),
    targets,
    maintenance_time: { coverage, counting },
    aggregates: aggregates.map(({ days, ...aggregate }) => ({ ...aggregate, days: unpackDays(days) })),
    intervals,
    incidents: joinIncidents(found, updates, affected),
  };
}

/** Published incidents that began before that moment, the last begun first. */
export async function selectPublicIncidents(
  db: Db,
  scope: { page_id: string; before: number; limit: number /** Made by then. */; at?: number },
) {
  const made = scope.at === undefined ? undefined : lte(incidents.created_at, scope.at);
  const chosen = and(isPublished(scope.page_id), lt(incidents.started_at, scope.before), made);
  const [found, updates, affected] = await db.batch(selectIncidents(db, scope.page_id, chosen, scope.limit));
  return joinIncidents(found, updates, affected);
}

/** The published incidents that began just before and just after a moment. */
export async function findNeighbours(db: Db, { page_id, started_at }: { page_id: string; started_at: number }) {
  const columns = { id: incidents.id, title: incidents.title };
  const [before, after] = await db.batch([
    db
      .select(columns)
      .from(incidents)
      .where(and(isPublished(page_id), lt(incidents.started_at, started_at)))
      .orderBy(desc(incidents.started_at))
      .limit(1),
    db
      .select(columns)
      .from(incidents)
      .where(and(isPublished(page_id), gt(incidents.started_at, started_at)))
      .orderBy(asc(incidents.started_at))
      .limit(1),
  ]);
  return { previous: before[0] ?? null, next: after[0] ?? null };
}

/** One published incident of a page, however old; the one that lists it, where there is one. */
export async function findShownIncident(db: Db, { page_id, incident_id }: { page_id: string; incident_id: string }) {
  const chosen = and(
    isPublished(page_id),
    sql`${incidents.id} = coalesce((SELECT i.bundle_id FROM ${incidents} i WHERE i.id = ${incident_id}), ${incident_id})`,
  );
  const [found, updates, affected] = await db.batch(selectIncidents(db, page_id, chosen));
  return joinIncidents(found, updates, affected)[0];
}

/** The public page that shows a monitor, and where its history is kept. */
export async function findBadgeSource(db: Db, monitorId: string) {
  const rows = await db
    .select({
      slug: statusPages.slug,
      shard_id: monitors.shard_id,
      other_shards: monitors.other_shards,
      regions: monitors.regions,
      measured_by: monitors.measured_by,
    })
    .from(monitors)
    .innerJoin(statusPages, eq(statusPages.id, monitors.status_page_id))
    .where(and(eq(monitors.id, monitorId), isPubliclyVisible(statusPages.id), eq(statusPages.is_public, true)))
    .limit(1);
  return rows[0];
}

const zoneOf = (pageId: string) => sql`(SELECT p.timezone FROM ${statusPages} p WHERE p.id = ${pageId})`;

/** Those in the days of the page's own zone. In no order, because sorting reads every row once more. */
function selectDailyAggregates(db: Db, pageId: string, fromMonth: string) {
  return db
    .select({
      monitor_id: dailyAggregates.monitor_id,
      month: dailyAggregates.month,
      to_at: dailyAggregates.to_at,
      status: dailyAggregates.status,
      days: dailyAggregates.days,
    })
    .from(monitors)
    .innerJoin(dailyAggregates, eq(dailyAggregates.monitor_id, monitors.id))
    .where(
      and(
        isPubliclyVisible(pageId),
        gte(dailyAggregates.month, fromMonth),
        sql`${dailyAggregates.timezone} = ${zoneOf(pageId)}`,
      ),
    );
}

/**
 * Of each monitor those that begin when its newest daily aggregate ends, or later; of one without any from the one on that holds
 * `since`. Earlier ones are not even read. The caller detects a missing month from the daily aggregates.
 * In no order either.
 */
function selectIntervals(db: Db, pageId: string, since: { days: number; month: string }) {
  const aggregatedTo = sql`SELECT r.to_at FROM ${dailyAggregates} r WHERE r.monitor_id = ${monitors.id}
    AND r.month >= ${since.month} AND r.timezone = ${zoneOf(pageId)} ORDER BY r.month DESC LIMIT 1`;
  const earlier = sql`SELECT max(i.from_at) FROM ${statusIntervals} i WHERE i.monitor_id = ${monitors.id} AND i.from_at <= ${since.days}`;
  return db
    .select({ monitor_id: statusIntervals.monitor_id, seq: statusIntervals.seq, ...INTERVAL_COLUMNS })
    .from(monitors)
    .innerJoin(statusIntervals, eq(statusIntervals.monitor_id, monitors.id))
    .where(
      and(
        isPubliclyVisible(pageId),
        gte(statusIntervals.from_at, sql`coalesce((${aggregatedTo}), (${earlier}), ${since.days})`),
      ),
    );
}

function selectIncidents(db: Db, pageId: string, chosen: SQL | undefined, limit = INCIDENTS_MAX) {
  const newest = () =>
    db
      .select({ id: incidents.id })
      .from(incidents)
      .where(chosen)
      .orderBy(desc(incidents.started_at), desc(incidents.id))
      .limit(limit);
  return [
    db
      .select({
        id: incidents.id,
        title: incidents.title,
        description: incidents.description,
        severity: incidents.severity,
        status: incidents.status,
        started_at: incidents.started_at,
        resolved_at: incidents.resolved_at,
        impact: incidents.impact,
      })
      .from(incidents)
      .where(chosen)
      .orderBy(desc(incidents.started_at), desc(incidents.id))
      .limit(limit),
    db
      .select({
        id: incidentUpdates.id,
        incident_id: incidentUpdates.incident_id,
        status: incidentUpdates.status,
        message: newestTexts({
          ...getTableColumns(incidentUpdates),
          subject_id: incidentUpdates.incident_id,
          written: writtenOrder(incidentUpdates),
        }),
        created_at: incidentUpdates.created_at,
      })
      .from(incidentUpdates)
      .where(inArray(incidentUpdates.incident_id, newest()))
      .orderBy(desc(incidentUpdates.created_at), desc(writtenOrder(incidentUpdates)))
      .limit(UPDATES_MAX),
    db
      // A batch gives rows by the names of their columns.
      .selectDistinct({
        incident_id: sql<string>`affected.incident_id`.as("incident_id"),
        monitor_id: sql<string>`${monitors.id}`.as("monitor_id"),
      })
      .from(affectedMonitors(newest()))
      .innerJoin(monitors, sql`${monitors.id} = affected.shown_id`)
      .where(isPubliclyVisible(pageId)),
  ] as const;
}

/** By themselves or by their group; in place of a member of a composite the page shows the composite. */
function affectedMonitors(incidentIds: SQLWrapper): SQL {
  return sql`(
    SELECT l.incident_id, coalesce(m.parent_monitor_id, m.id) AS shown_id
    FROM ${incidentMonitors} l JOIN ${monitors} m ON m.id = l.monitor_id WHERE l.incident_id IN ${incidentIds}
    UNION SELECT l.incident_id, coalesce(m.parent_monitor_id, m.id)
    FROM ${incidentGroups} l JOIN ${monitors} m ON m.group_id = l.group_id WHERE l.incident_id IN ${incidentIds}
  ) AS affected`;
}

function joinIncidents<
  Incident extends { id: string },
  Update extends { incident_id: string },
  Link extends { incident_id: string; monitor_id: string },
>(found: Incident[], updates: Update[], affected: Link[]) {
  const updatesOf = Map.groupBy(updates, (update) => update.incident_id);
  const affectedBy = Map.groupBy(affected, (link) => link.incident_id);
  return found.map((incident) => ({
    ...incident,
    updates: updatesOf.get(incident.id) ?? [],
    monitor_ids: (affectedBy.get(incident.id) ?? []).map((link) => link.monitor_id),
  }));
}
