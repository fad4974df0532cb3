import { and, asc, desc, eq, gte, inArray, isNull, lt, sql } from "drizzle-orm";
import { agentCommands, agentReports } from "./agents.table.ts";
import type { Db, Statement } from "./db.ts";

export type AgentReportRecord = typeof agentReports.$inferSelect;
export type AgentCommandRecord = typeof agentCommands.$inferSelect;

/** Of each kind, this many of an agent's reports are kept. */
export const REPORTS_MAX = 1000;
const SWEEP_MAX = 500;
const COMMANDS_MAX = 100;

type Source = Pick<AgentReportRecord, "agent_id" | "kind">;

/** One statement for any number of reports. What was told before is the same report, seen anew. */
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
        // SQLite wants the WHERE to tell the select from the insert's ON CONFLICT.
        sql`SELECT ${sql.join(members, sql`, `)}, r.value -> 'data' FROM json_each(${JSON.stringify(reports)}) AS r WHERE true`,
      )
      .onConflictDoUpdate({ target: agentReports.id, set: { at: sql`excluded.at`, data: sql`excluded.data` } }),
    db.delete(agentReports).where(inArray(agentReports.id, surplus)),
  ];
}

/** How many of these reports are kept already. */
export function countKnown(db: Db, reports: readonly Pick<AgentReportRecord, "id">[]): Promise<number> {
  const ids = JSON.stringify(reports.map(({ id }) => id));
  return db.$count(agentReports, sql`${agentReports.id} IN (SELECT value FROM json_each(${ids}))`);
}

/** Newest first, from `from` and before `to`. */
export function listReports(
  db: Db,
  source: Source,
  range: { from?: number; to?: number; limit: number },
): Promise<AgentReportRecord[]> {
  return db
    .select()
    .from(agentReports)
    .where(
      and(
        eq(agentReports.agent_id, source.agent_id),
        eq(agentReports.kind, source.kind),
        range.from === undefined ? undefined : gte(agentReports.at, range.from),
        range.to === undefined ? undefined : lt(agentReports.at, range.to),
      ),
    )
    .orderBy(desc(agentReports.at), desc(agentReports.id))
    .limit(range.limit);
}

export function deleteOldReports(db: Db, before: number): Statement {
  const old = db.select({ id: agentReports.id }).from(agentReports).where(lt(agentReports.at, before)).limit(SWEEP_MAX);
  return db.delete(agentReports).where(inArray(agentReports.id, old));
}

export function insertCommand(db: Db, command: AgentCommandRecord): Statement {
  return db.insert(agentCommands).values(command);
}

/** What the agent has yet to do, oldest first. */
export function listWaitingCommands(db: Db, agentId: string): Promise<AgentCommandRecord[]> {
  return db
    .select()
    .from(agentCommands)
    .where(and(eq(agentCommands.agent_id, agentId), sql`acked_at IS NULL`))
    .orderBy(asc(agentCommands.created_at), asc(agentCommands.id))
    .limit(COMMANDS_MAX);
}

export async function findCommand(db: Db, agentId: string, commandId: string): Promise<AgentCommandRecord | undefined> {
  const rows = await db
    .select()
    .from(agentCommands)
    .where(and(eq(agentCommands.id, commandId), eq(agentCommands.agent_id, agentId)))
    .limit(1);
  return rows[0];
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
  const old = db
    .select({ id: agentCommands.id })
    .from(agentCommands)
    .where(lt(agentCommands.created_at, before))
    .limit(SWEEP_MAX);
  return db.delete(agentCommands).where(inArray(agentCommands.id, old));
}
