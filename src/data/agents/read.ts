import { and, asc, count, desc, eq, getTableColumns, gt, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { AGENT_MONITORS_MAX, type AgentStatus, unknownField } from "../../contract/agent.ts";
import { agentLocation } from "../../contract/location.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Plan } from "../../contract/plan.ts";
import type { Db } from "../db.ts";
import type { StoredEvent } from "../events/read.ts";
import { insertEventsIf } from "../events/write.ts";
import { isOneOf } from "../filters.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { isLocation } from "../locations/read.ts";
import { monitorLocations } from "../locations/table.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { pageMembers } from "../members/table.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { agentLatest, agents, installTokens } from "./table.ts";

export type AgentRecord = typeof agents.$inferSelect;
export type InstallTokenRecord = typeof installTokens.$inferSelect;

/** Of which the first is taken that can check. */
const OUTSIDE_MAX = 20;
/** A few more than one agent may run: those that were assigned at the same time are run, too. */
const ASSIGNED_MAX = AGENT_MONITORS_MAX + 100;

/** Agents by their ids; those that are gone are left out. */
export async function listAgentsByIds(db: Db, agentIds: readonly string[]): Promise<AgentRecord[]> {
  if (agentIds.length === 0) return [];
  return db
    .select()
    .from(agents)
    .where(sql`${agents.id} IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`)
    .limit(agentIds.length);
}

export async function findAgent(db: Db, agentId: string): Promise<AgentRecord | undefined> {
  const rows = await db.select().from(agents).where(eq(agents.id, agentId)).limit(1);
  return rows[0];
}

/** The agent that presents this credential, be it the present or the next one, with its owner's plan. */
export async function findAgentByToken(
  db: Db,
  tokenHash: string,
): Promise<{ agent: AgentRecord; plan: Plan | null; metric_rules: number | null } | undefined> {
  const rows = await db
    .select({ agent: agents, plan: users.plan, metric_rules: statusPages.metric_rules })
    .from(agents)
    .innerJoin(users, eq(users.id, agents.owner_id))
    .leftJoin(statusPages, eq(statusPages.id, agents.status_page_id))
    .where(or(eq(agents.token_hash, tokenHash), eq(agents.next_token_hash, tokenHash)))
    .limit(1);
  return rows[0];
}

/** The agents that are visible to one user. */
export async function listAgents(
  db: Db,
  viewer: Viewer,
  page: Pagination,
  filter: { status?: AgentStatus[]; status_page_id?: string[]; silent_since: number },
) {
  // As domain/agent-status.ts: an agent that stopped reporting is offline before the sweep records it.
  const status = sql`CASE WHEN ${agents.last_seen_at} < ${filter.silent_since} THEN 'offline' ELSE ${agents.status} END`;
  const { status: statuses } = filter;
  const wanted = and(
    visibleTo(viewer, agents),
    isOneOf(agents.status_page_id, filter.status_page_id),
    statuses && sql`${status} IN (SELECT value FROM json_each(${JSON.stringify(statuses)}))`,
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(agents)
      .where(and(wanted, isBelow(page, agents.created_at, agents.id)))
      .orderBy(desc(agents.created_at), desc(agents.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(agents).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/**
 * The pages of the monitors that an agent runs, each once, with the user's membership; null where the user has none and
 * for monitors without a page.
 */
export function listMembershipsOnAgentPages(db: Db, agentId: string, userId: string) {
  return db
    .selectDistinct({
      status_page_id: monitors.status_page_id,
      member: { role: pageMembers.role, capabilities: pageMembers.capabilities },
    })
    .from(monitors)
    .leftJoin(
      pageMembers,
      and(eq(pageMembers.status_page_id, monitors.status_page_id), eq(pageMembers.user_id, userId)),
    )
    .where(runsOn(agentId))
    .limit(ASSIGNED_MAX);
}

/** An agent that was made for a host before the host called. */
export async function findUnenrolledAgent(
  db: Db,
  { owner_id, status_page_id, hostname }: { owner_id: string; status_page_id: string | null; hostname: string },
): Promise<AgentRecord | undefined> {
  const rows = await db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.owner_id, owner_id),
        eq(agents.hostname, hostname),
        isNull(agents.enrolled_at),
        // A permission for one page does not include agents of another.
        status_page_id === null ? undefined : eq(agents.status_page_id, status_page_id),
      ),
    )
    .orderBy(asc(agents.created_at))
    .limit(1);
  return rows[0];
}

/** The newest agents of an account. */
export async function listAgentIdsOf(db: Db, ownerId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.owner_id, ownerId))
    .orderBy(desc(agents.created_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** When each of these agents called last; those that never did are left out. */
export async function listLastSeen(db: Db, agentIds: readonly string[]): Promise<Map<string, number>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db
    .select({ id: agents.id, last_seen_at: agents.last_seen_at })
    .from(agents)
    .where(sql`${agents.id} IN (SELECT value FROM json_each(${JSON.stringify([...new Set(agentIds)])}))`)
    .limit(agentIds.length);
  return new Map(rows.flatMap(({ id, last_seen_at }) => (last_seen_at === null ? [] : [[id, last_seen_at] as const])));
}

export type AgentKey = Pick<AgentRecord, "id" | "owner_id" | "is_location">;

/** The condition that a monitor runs on an agent, alone or among other locations. */
const runsOn = (agentId: string) =>
  or(
    eq(monitors.agent_id, agentId),
    sql`${monitors.id} IN (SELECT ${monitorLocations.monitor_id} FROM ${monitorLocations} WHERE ${monitorLocations.agent_id} = ${agentId})`,
  );

/** The first monitors that run on an agent, by name. */
export function listRunOn(db: Db, agentId: string, limit: number) {
  return db
    .select({ id: monitors.id, name: monitors.name })
    .from(monitors)
    .where(runsOn(agentId))
    .orderBy(asc(monitors.name), asc(monitors.id))
    .limit(limit);
}

/** How many monitors of other pages than its own run on an agent, and the first of them, by name. */
export async function listRunForOthers(
  db: Db,
  { id, status_page_id }: Pick<AgentRecord, "id" | "status_page_id">,
  limit: number,
) {
  const rows = await db
    .select({ id: monitors.id, name: monitors.name, total: sql<number>`count(*) OVER ()` })
    .from(monitors)
    .where(isRunForOthers(id, status_page_id))
    .orderBy(asc(monitors.name), asc(monitors.id))
    .limit(limit);
  return { total: rows[0]?.total ?? 0, monitors: rows.map(({ id, name }) => ({ id, name })) };
}

const isRunForOthers = (agentId: string, pageId: string | null) =>
  and(runsOn(agentId), sql`${monitors.status_page_id} IS NOT ${pageId}`);

/** The condition that there is such a monitor. */
export function runsForOthers(agentId: string, pageId: string | null): SQL {
  return sql`EXISTS (SELECT 1 FROM ${monitors} WHERE ${isRunForOthers(agentId, pageId)})`;
}

export async function countAssigned(db: Db, agentId: string): Promise<number> {
  const rows = await db.select({ total: count() }).from(monitors).where(runsOn(agentId));
  return rows[0]?.total ?? 0;
}

/**
 * Those of the named monitors that the agent runs, by one row read for each: it is found by its id alone, and numbers that
 * the statement spells out cost none, where json_each costs one for each of its values.
 */
export async function listAssignedAmong(
  db: Db,
  agent: AgentKey,
  monitorIds: readonly string[],
): Promise<MonitorRecord[]> {
  if (monitorIds.length === 0) return [];
  const places = sql.raw(monitorIds.map((_, place) => `(${place})`).join());
  return (
    db
      .select(getTableColumns(monitors))
      .from(sql`(SELECT ${JSON.stringify(monitorIds)} AS ids) AS named`)
      // In this order: neither the index of the agent nor that of its owner finds them by few rows.
      .crossJoin(sql`(VALUES ${places}) AS place`)
      .crossJoin(monitors)
      .where(
        and(
          sql`${monitors.id} = named.ids ->> place.column1`,
          sql`+${monitors.owner_id} = ${agent.owner_id}`,
          sql`(+${monitors.agent_id} = ${agent.id} OR ${agent.is_location ? votesIn(agent.id) : sql`false`})`,
        ),
      )
      .limit(monitorIds.length)
  );
}

export function listAssigned(db: Db, agent: AgentKey) {
  return db
    .select()
    .from(monitors)
    .where(isAssignedTo(agent))
    .orderBy(asc(monitors.position), asc(monitors.id))
    .limit(ASSIGNED_MAX);
}

/**
 * Without an index on the owner, which would read all monitors of the account in their order. An agent that is no location
 * votes on none, because nothing takes the mark from one that does.
 */
const isAssignedTo = (agent: AgentKey) =>
  and(
    agent.is_location ? runsOn(agent.id) : eq(monitors.agent_id, agent.id),
    sql`+${monitors.owner_id} = ${agent.owner_id}`,
  );

/** Cloudflare's own, from which its trouble looks the same. */
const EDGE_ASN = 13_335;

/** Those among these agents that call from Cloudflare's own network. */
export async function listInsideEdge(db: Db, agentIds: readonly string[]): Promise<string[]> {
  const found = await listAgentsByIds(db, agentIds);
  return found.flatMap(({ id, network }) => (network?.asn === EDGE_ASN ? [id] : []));
}

/**
 * An agent that may check this monitor for once, from another network than the edge's: an online location of the owner that
 * serves the monitor's page, knows the order and the type, and the one that called last.
 */
export async function findOutsideAgent(
  db: Db,
  { owner_id, status_page_id, type, options }: Pick<MonitorRecord, "owner_id" | "status_page_id" | "type" | "options">,
  seenSince: number,
): Promise<AgentRecord | undefined> {
  const isPage = status_page_id === null ? sql`false` : eq(agents.status_page_id, status_page_id);
  const rows = await db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.owner_id, owner_id),
        eq(agents.is_location, true),
        eq(agents.status, "online"),
        gte(agents.last_seen_at, seenSince),
        sql`coalesce(${agents.network} ->> 'asn', 0) <> ${EDGE_ASN}`,
        or(eq(agents.own_page_only, false), isPage),
      ),
    )
    .orderBy(desc(agents.last_seen_at), asc(agents.id))
    .limit(OUTSIDE_MAX);
  return rows.find(({ capabilities }) => {
    return ["confirm", type].every((skill) => capabilities.includes(skill)) && !unknownField(capabilities, options);
  });
}

/** In the text, because each element of a list that is taken apart counts as a row. */
const votesIn = (agentId: string) => sql`instr(${monitors.locations}, ${JSON.stringify(agentLocation(agentId))}) > 0`;

export function hasAssigned(agentId: string): SQL {
  return sql`(EXISTS (SELECT 1 FROM ${monitors} WHERE ${monitors.agent_id} = ${agentId}) OR ${isLocation(agentId)})`;
}

export function touchAgent(db: Db, agentId: string, now: number) {
  return db
    .update(agents)
    .set({ last_seen_at: now })
    .where(and(eq(agents.id, agentId), lt(agents.last_seen_at, now)));
}

export interface PresenceChange {
  to: AgentStatus;
  now: number;
  /** The event of each agent's change, whose data name the agent. */
  switched: readonly StoredEvent[];
  /** Only agents that have not called since then. */
  silent_since?: number;
}

/** Switches agents and stores their events; returns the ids of the events of those that another call did not switch. */
export async function switchAgents(db: Db, { to, now, switched, silent_since }: PresenceChange): Promise<string[]> {
  const isDue = and(
    eq(agents.status, to === "online" ? "offline" : "online"),
    silent_since === undefined ? undefined : lt(agents.last_seen_at, silent_since),
  );
  const wentOffline = and(eq(agents.status, "offline"), isSwitched(switched));
  const [stored] = await db.batch([
    insertEventsIf(
      db,
      switched,
      sql`EXISTS (SELECT 1 FROM ${agents} WHERE ${agents.id} = r.value -> 'data' ->> 'agent_id' AND ${isDue})`,
    ),
    db
      .update(agents)
      .set({ status: to, ...(to === "online" ? { last_seen_at: now } : {}) })
      .where(and(isSwitched(switched), isDue)),
    // The sweep looks at all monitors of an agent that is offline now.
    db
      .update(agentLatest)
      .set({ look_at: 0 })
      .where(sql`${agentLatest.agent_id} IN (SELECT ${agents.id} FROM ${agents} WHERE ${wentOffline})`),
  ]);
  return stored.map(({ id }) => id);
}

const isSwitched = (switched: readonly StoredEvent[]) =>
  sql`${agents.id} IN (SELECT value -> 'data' ->> 'agent_id' FROM json_each(${JSON.stringify(switched)}))`;

export function listAgentsToMarkOffline(db: Db, silentSince: number, limit: number): Promise<AgentRecord[]> {
  return db
    .select()
    .from(agents)
    .where(and(sql`${agents.status} = 'online'`, lt(agents.last_seen_at, silentSince)))
    .orderBy(asc(agents.last_seen_at))
    .limit(limit);
}

export async function findInstallToken(db: Db, tokenHash: string, now: number) {
  const rows = await db
    .select()
    .from(installTokens)
    .where(and(eq(installTokens.token_hash, tokenHash), gt(installTokens.expires_at, now)))
    .limit(1);
  return rows[0];
}

/** Whether another request has used the token, or enrolled the agent. */
export function isInstallTokenConsumed(tokenId: string, awaited: AgentRecord | undefined): SQL {
  const { id, token_hash } = awaited ?? { id: "", token_hash: null };
  return sql`NOT EXISTS (SELECT 1 FROM ${installTokens} WHERE ${installTokens.id} = ${tokenId})
    OR EXISTS (SELECT 1 FROM ${agents} WHERE ${agents.id} = ${id} AND ${agents.token_hash} IS NOT ${token_hash})`;
}
