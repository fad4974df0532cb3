import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { savedViews } from "./table.ts";

export type SavedViewRecord = typeof savedViews.$inferSelect;

/** By name. */
export function listSavedViews(db: Db, userId: string, limit: number): Promise<SavedViewRecord[]> {
  return db.select().from(savedViews).where(eq(savedViews.user_id, userId)).orderBy(asc(savedViews.name)).limit(limit);
}

export const isThisView = ({ id, user_id }: Pick<SavedViewRecord, "id" | "user_id">) =>
  and(eq(savedViews.id, id), eq(savedViews.user_id, user_id));

export function hasSavedViews(userId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${savedViews} WHERE ${savedViews.user_id} = ${userId}) >= ${max}`;
}
