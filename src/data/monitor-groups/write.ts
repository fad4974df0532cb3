import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { MonitorGroupRecord } from "./read.ts";
import { monitorGroups } from "./table.ts";

export function insertMonitorGroup(db: Db, group: MonitorGroupRecord): Statement {
  return db.insert(monitorGroups).values(group);
}

type GroupChange = Pick<MonitorGroupRecord, "id"> & Partial<MonitorGroupRecord>;

export function updateMonitorGroup(db: Db, { id, ...change }: GroupChange): Statement {
  return db.update(monitorGroups).set(change).where(eq(monitorGroups.id, id));
}

/** Its monitors stay on the page, without a group. */
export function deleteMonitorGroup(db: Db, groupId: string): Statement {
  return db.delete(monitorGroups).where(eq(monitorGroups.id, groupId));
}

export function positionMonitorGroups(
  db: Db,
  pageId: string,
  order: readonly { id: string; order: number }[],
  now: number,
): Statement {
  const places = JSON.stringify(Object.fromEntries(order.map(({ id, order: place }) => [id, place])));
  return db
    .update(monitorGroups)
    .set({
      position: sql`${places} ->> ('$."' || ${monitorGroups.id} || '"')`,
      updated_at: now,
    })
    .where(
      and(eq(monitorGroups.status_page_id, pageId), sql`${monitorGroups.id} IN (SELECT key FROM json_each(${places}))`),
    );
}
