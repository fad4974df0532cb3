import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { monitorDependencies } from "./table.ts";

const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** Makes a monitor depend on exactly these others; one that is gone meanwhile is left out. */
export function setDependencies(
  db: Db,
  { id, owner_id }: { id: string; owner_id: string },
  { before, after }: { before: readonly string[]; after: readonly string[] },
): Statement[] {
  const left = before.filter((parent) => !after.includes(parent));
  const added = after.filter((parent) => !before.includes(parent));
  const { monitor_id, parent_id } = monitorDependencies;
  return [
    ...(left.length === 0
      ? []
      : [db.delete(monitorDependencies).where(and(eq(monitor_id, id), sql`${parent_id} IN ${among(left)}`))]),
    ...(added.length === 0
      ? []
      : [
          db
            .insert(monitorDependencies)
            .select(
              sql`SELECT ${id}, ${monitors.id} FROM ${monitors}
                WHERE ${monitors.id} IN ${among(added)} AND ${monitors.owner_id} = ${owner_id}`,
            )
            .onConflictDoNothing(),
        ]),
  ];
}

/** After monitors went to another owner: nothing depends on what another account has. */
export function dropForeignDependencies(db: Db, monitorIds: SQL): Statement {
  const { monitor_id, parent_id } = monitorDependencies;
  const ownerOf = (id: SQLiteColumn) => sql`(SELECT o.owner_id FROM monitors o WHERE o.id = ${id})`;
  return db.delete(monitorDependencies).where(
    sql`(${monitor_id} IN ${monitorIds} OR ${parent_id} IN ${monitorIds})
        AND ${ownerOf(monitor_id)} <> ${ownerOf(parent_id)}`,
  );
}
