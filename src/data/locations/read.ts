import { asc, eq, type SQL, sql } from "drizzle-orm";
import { agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { monitorLocations } from "./table.ts";

/** On how many monitors an agent votes, and the first of them, by name. */
export async function listVotedOn(db: Db, agentId: string, limit: number) {
  const rows = await db
    .select({ id: monitors.id, name: monitors.name, total: sql<number>`count(*) OVER ()` })
    .from(monitorLocations)
    .innerJoin(monitors, eq(monitors.id, monitorLocations.monitor_id))
    .where(eq(monitorLocations.agent_id, agentId))
    .orderBy(asc(monitors.name), asc(monitors.id))
    .limit(limit);
  return { total: rows[0]?.total ?? 0, monitors: rows.map(({ id, name }) => ({ id, name })) };
}

/** The condition that an agent is a location of some monitor. */
export function isLocation(agentId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM ${monitorLocations} WHERE ${monitorLocations.agent_id} = ${agentId})`;
}

/** The condition that one of these agents is no location any more, or belongs to another owner. */
export function areLocationsGone(ownerId: string, agentIds: readonly string[]): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(agentIds)}) named WHERE NOT EXISTS (SELECT 1 FROM ${agents}
    WHERE ${agents.id} = named.value AND ${agents.owner_id} = ${ownerId} AND ${agents.is_location} = 1))`;
}
