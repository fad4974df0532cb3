import { and, asc, count, desc, eq, getTableColumns, gte, lt, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import { agentCommands, agentReports, agents } from "../agents/table.ts";
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
interface ReportRange {
  from?: number;
  to?: number;
  limit: number;
  offset?: number;
}

export function listReports(db: Db, source: Source, range: ReportRange): Promise<AgentReportRecord[]> {
  return selectReports(db, source, range);
}

/** Of each of these agents the newest report of a kind; those without one are left out. */
export async function listNewestReports(
  db: Db,
  { agentIds, kind }: { agentIds: readonly string[]; kind: AgentReportRecord["kind"] },
): Promise<Map<string, AgentReportRecord>> {
  if (agentIds.length === 0) return new Map();
  const newest = sql`(SELECT ${agentReports.id} FROM ${agentReports}
    WHERE ${agentReports.agent_id} = named.value AND ${agentReports.kind} = ${kind}
    ORDER BY ${agentReports.at} DESC, ${agentReports.id} DESC LIMIT 1)`;
  const rows = await db
    .select(getTableColumns(agentReports))
    .from(sql`json_each(${JSON.stringify(agentIds)}) AS named`)
    .crossJoin(agentReports)
    .where(sql`${agentReports.id} = ${newest}`)
    .limit(agentIds.length);
  return new Map(rows.map((row) => [row.agent_id, row]));
}

/** The same with how many there are. */
export async function listCountedReports(db: Db, source: Source, range: ReportRange) {
  const [rows, totals] = await db.batch([
    selectReports(db, source, range),
    db.select({ total: count() }).from(agentReports).where(isWithin(source, range)),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

function selectReports(db: Db, source: Source, range: ReportRange) {
  return db
    .select()
    .from(agentReports)
    .where(isWithin(source, range))
    .orderBy(desc(agentReports.at), desc(agentReports.id))
    .limit(range.limit)
    .offset(range.offset ?? 0);
}

const isWithin = ({ agent_id, kind }: Source, { from, to }: ReportRange) =>
  and(
    eq(agentReports.agent_id, agent_id),
    eq(agentReports.kind, kind),
    from === undefined ? undefined : gte(agentReports.at, from),
    to === undefined ? undefined : lt(agentReports.at, to),
  );

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

/** With the agent's owner and page, which decide who may see it. */
const ownership = { owner_id: agents.owner_id, status_page_id: agents.status_page_id };

export async function findDiscovery(db: Db, reportId: string) {
  const rows = await db
    .select({ ...getTableColumns(agentReports), ...ownership })
    .from(agentReports)
    .innerJoin(agents, eq(agents.id, agentReports.agent_id))
    .where(and(eq(agentReports.id, reportId), eq(agentReports.kind, "discovery")))
    .limit(1);
  return rows[0];
}

export async function findOwnedCommand(db: Db, commandId: string) {
  const rows = await db
    .select({ ...getTableColumns(agentCommands), ...ownership })
    .from(agentCommands)
    .innerJoin(agents, eq(agents.id, agentCommands.agent_id))
    .where(eq(agentCommands.id, commandId))
    .limit(1);
  return rows[0];
}

/** Newest first. */
export async function listReportsPage(db: Db, source: Source, page: Pagination) {
  const wanted = and(eq(agentReports.agent_id, source.agent_id), eq(agentReports.kind, source.kind));
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(agentReports)
      .where(wanted)
      .orderBy(desc(agentReports.at), desc(agentReports.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(agentReports).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Newest first. */
export async function listCommands(db: Db, agentId: string, page: Pagination) {
  const wanted = eq(agentCommands.agent_id, agentId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(agentCommands)
      .where(wanted)
      .orderBy(desc(agentCommands.created_at), desc(agentCommands.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(agentCommands).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}
