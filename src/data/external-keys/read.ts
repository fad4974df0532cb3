import { and, eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { maintenance } from "../maintenance/table.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** Everything that carries an external key, unique per owner. */
const TABLES = {
  monitor: monitors,
  group: monitorGroups,
  webhook: webhooks,
  maintenance,
  status_page: statusPages,
} as const;
export type KeyedTable = keyof typeof TABLES;

export async function findIdByExternalKey(
  db: Db,
  kind: KeyedTable,
  { owner_id, external_key }: { owner_id: string; external_key: string },
): Promise<string | undefined> {
  const table = TABLES[kind];
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.owner_id, owner_id), eq(table.external_key, external_key)))
    .limit(1);
  return rows[0]?.id;
}
