import { and, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { agentCommands, agentReports } from "../agents/table.ts";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { AgentCommandRecord, AgentReportRecord, Source } from "./read.ts";

/** Of each kind, this many of an agent's reports are kept. */
export const REPORTS_MAX = 1000;

/** One statement for any number of reports. A repeated report updates when it was last seen. */
export function insertReports(db: Db, source: Source, reports: readonly AgentReportRecord[]): Statement[] {
  const members = [sql`r.value ->> 'id'`, sql`${source.agent_id}`, sql`${source.kind}`, sql`r.value ->> 'at'`];
  const surplus = db
    .select({ id: agentReports.id })
    .from(agentReports)
    .where(and(eq(agentReports.agent_id, source.agent_id), eq(agentReports.kind, source.kind)))
    .orderBy(desc(agentReports.at), desc(agentReports.id))
    .limit(REPORTS_MAX)
    .offset(REPORTS_MAX);
  return [
    db
      .insert(agentReports)
      .select(
        // SQLite needs the WHERE to distinguish the select from the insert's ON CONFLICT.
        sql`SELECT ${sql.join(members, sql`, `)}, r.value -> 'data' FROM json_each(${JSON.stringify(reports)}) AS r WHERE true`,
      )
      .onConflictDoUpdate({ target: agentReports.id, set: { at: sql`excluded.at`, data: sql`excluded.data` } }),
    db.delete(agentReports).where(inArray(agentReports.id, surplus)),
  ];
}

export function deleteOldReports(db: Db, before: number): Statement {
  return deleteSome(db, agentReports, lt(agentReports.at, before));
}

export function insertCommand(db: Db, command: AgentCommandRecord): Statement {
  return db.insert(agentCommands).values(command);
}

/** The first acknowledgement stands. */
export function acknowledge(
  db: Db,
  command: Pick<AgentCommandRecord, "id" | "agent_id" | "acked_at" | "ok" | "result" | "error">,
): Statement {
  const { id, agent_id, ...answer } = command;
  return db
    .update(agentCommands)
    .set(answer)
    .where(and(eq(agentCommands.id, id), eq(agentCommands.agent_id, agent_id), isNull(agentCommands.acked_at)));
}

export function deleteOldCommands(db: Db, before: number): Statement {
  return deleteSome(db, agentCommands, lt(agentCommands.created_at, before));
}
