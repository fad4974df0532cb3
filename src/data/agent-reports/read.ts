import { and, asc, desc, eq, gte, lt, sql } from "drizzle-orm";
import { agentCommands, agentReports } from "../agents/table.ts";
import type { Db } from "../db.ts";

export type AgentReportRecord = typeof agentReports.$inferSelect;
export type AgentCommandRecord = typeof agentCommands.$inferSelect;
const COMMANDS_MAX = 100;

export type Source = Pick<AgentReportRecord, "agent_id" | "kind">;

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
