import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import type { Affected } from "./write.ts";

/** An incident of as many services reads no better with more names. */
const NAMES_MAX = 500;

/**
 * The names of what an incident affects, by itself or by its group. Of a public one as the public may know them: a composite
 * in place of its members, and nothing that is internal.
 */
export async function listAffectedNames(
  db: Db,
  { page_id, is_public }: { page_id: string; is_public: boolean },
  { monitor_ids, group_ids }: Affected,
): Promise<string[]> {
  const listOf = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const shown = is_public ? sql`coalesce(m.parent_monitor_id, m.id)` : sql`m.id`;
  const affected: SQL = sql`SELECT ${shown} FROM ${monitors} m
    WHERE m.id IN ${listOf(monitor_ids)} OR m.group_id IN ${listOf(group_ids)}`;
  const rows = await db
    .selectDistinct({ name: monitors.name })
    .from(monitors)
    .where(
      and(
        sql`${monitors.id} IN (${affected})`,
        eq(monitors.status_page_id, page_id),
        is_public ? and(eq(monitors.is_internal, false), isNull(monitors.parent_monitor_id)) : undefined,
      ),
    )
    .orderBy(monitors.name)
    .limit(NAMES_MAX);
  return rows.map(({ name }) => name);
}
