import { asc, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { agentCommands, agentReports, agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { eventLog, eventRules, eventRuleVersions } from "../event-rules/table.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { incidents, incidentUpdates } from "../incidents/table.ts";
import { maintenance, maintenanceUpdates } from "../maintenance/table.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { webhooks } from "../webhooks/table.ts";
import { storedTexts } from "./table.ts";
import type { RowBudget } from "./write.ts";

export async function findStoredText(db: Db, ownerId: string) {
  const rows = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, ownerId)).limit(1);
  return rows[0];
}

/** How much of their past accounts have, in the order of their ids, with their plans; null: the operator's default. */
export function listPastSizes(db: Db, after: string, limit: number) {
  return db
    .select({
      owner_id: storedTexts.owner_id,
      audit_bytes: storedTexts.audit_bytes,
      event_bytes: storedTexts.event_bytes,
      plan: users.plan,
    })
    .from(storedTexts)
    .innerJoin(users, eq(users.id, storedTexts.owner_id))
    .where(gt(storedTexts.owner_id, after))
    .orderBy(asc(storedTexts.owner_id))
    .limit(limit);
}

/** The condition that so many bytes more would exceed the cap. */
export function exceedsStoredText(ownerId: string, { bytes, max }: { bytes: number; max: number }): SQL {
  const stored = sql`SELECT ${storedTexts.bytes} FROM ${storedTexts} WHERE ${storedTexts.owner_id} = ${ownerId}`;
  return sql`coalesce((${stored}), 0) + ${bytes} > ${max}`;
}

/** The condition that an account has written so many rows in this hour. */
export function exceedsRows(
  ownerId: string,
  { budget, hour_at, max }: { budget: RowBudget; hour_at: number; max: number },
): SQL {
  return sql`coalesce((SELECT ${storedTexts[budget]} FROM ${storedTexts}
    WHERE ${storedTexts.owner_id} = ${ownerId} AND ${storedTexts.hour_at} = ${hour_at}), 0) >= ${max}`;
}

/** What people and agents of an account have written and not deleted, in bytes. Reads all of it. */
export async function measureStoredText(db: Db, ownerId: string): Promise<number> {
  const pages = sql`SELECT id FROM ${statusPages} WHERE ${statusPages.owner_id} = ${ownerId}`;
  const ownAgents = sql`agent_id IN (SELECT id FROM ${agents} WHERE ${agents.owner_id} = ${ownerId})`;
  const owned = [
    agents,
    statusPages,
    monitorGroups,
    monitors,
    webhooks,
    incidents,
    incidentTemplates,
    maintenance,
    eventLog,
  ];
  const sums = [
    ...owned.map((table) => sumOfTexts(table, sql`owner_id = ${ownerId}`)),
    sumOfTexts(agentReports, ownAgents),
    sumOfTexts(agentCommands, ownAgents),
    sumOfTexts(eventRules, sql`status_page_id IN (${pages})`),
    sumOfTexts(
      eventRuleVersions,
      sql`rule_id IN (SELECT id FROM ${eventRules} WHERE ${eventRules.status_page_id} IN (${pages}))`,
    ),
    sumOfTexts(incidentUpdates, sql`incident_id IN (SELECT id FROM ${incidents} WHERE owner_id = ${ownerId})`),
    sumOfTexts(maintenanceUpdates, sql`maintenance_id IN (SELECT id FROM ${maintenance} WHERE owner_id = ${ownerId})`),
  ];
  const [row] = await db.all<{ bytes: number }>(sql`SELECT ${sql.join(sums, sql` + `)} AS bytes`);
  return row?.bytes ?? 0;
}

function sumOfTexts(table: SQLiteTable, condition: SQL): SQL {
  const lengths = Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() === "text")
    .map((column) => sql`coalesce(octet_length(${sql.identifier(column.name)}), 0)`);
  return sql`(SELECT coalesce(sum(${sql.join(lengths, sql` + `)}), 0) FROM ${table} WHERE ${condition})`;
}
