import { and, eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { WallLinkRecord } from "./read.ts";
import { wallLinks } from "./table.ts";

export function insertWallLink(db: Db, link: WallLinkRecord): Statement {
  return db.insert(wallLinks).values(link);
}

export function deleteWallLink(db: Db, { id, user_id }: Pick<WallLinkRecord, "id" | "user_id">): Statement {
  return db.delete(wallLinks).where(and(eq(wallLinks.id, id), eq(wallLinks.user_id, user_id)));
}

export async function touchWallLink(db: Db, id: string, now: number): Promise<void> {
  await db.update(wallLinks).set({ last_shown_at: now }).where(eq(wallLinks.id, id));
}
