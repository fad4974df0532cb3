import { and, eq, sql } from "drizzle-orm";
import { agentsAmong } from "../../contract/location.ts";
import type { Db, Statement } from "../db.ts";
import { monitorLocations } from "./table.ts";

/** Makes exactly the agents among these the ones that vote on a monitor. */
export function setLocations(
  db: Db,
  monitorId: string,
  { before, after }: { before: readonly string[]; after: readonly string[] },
): Statement[] {
  const [known, wanted] = [agentsAmong(before), agentsAmong(after)];
  const left = known.filter((id) => !wanted.includes(id));
  const joined = wanted.filter((id) => !known.includes(id)).map((agent_id) => ({ agent_id, monitor_id: monitorId }));
  return [
    ...(left.length === 0 ? [] : [deleteLocations(db, monitorId, left)]),
    ...(joined.length === 0 ? [] : [db.insert(monitorLocations).values(joined).onConflictDoNothing()]),
  ];
}

function deleteLocations(db: Db, monitorId: string, agentIds: readonly string[]): Statement {
  const isAmong = sql`${monitorLocations.agent_id} IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`;
  return db.delete(monitorLocations).where(and(eq(monitorLocations.monitor_id, monitorId), isAmong));
}
