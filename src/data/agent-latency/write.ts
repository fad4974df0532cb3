import { sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { agentLatency } from "./table.ts";

export type AgentLatencyRecord = typeof agentLatency.$inferSelect;

/** One statement for any number of days; a monitor that is gone meanwhile leaves none. */
export function insertAgentLatency(db: Db, days: readonly AgentLatencyRecord[]): Statement {
  const member = (name: keyof AgentLatencyRecord) => sql`r.value ->> ${name}`;
  return db
    .insert(agentLatency)
    .select(
      sql`SELECT ${member("monitor_id")}, ${member("day_at")}, r.value -> 'hours' FROM json_each(${JSON.stringify(days)}) AS r
        JOIN ${monitors} ON ${monitors.id} = ${member("monitor_id")} WHERE true`,
    )
    .onConflictDoNothing();
}
