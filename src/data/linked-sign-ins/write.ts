import { and, eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { LinkedSignInRecord } from "./read.ts";
import { linkedSignIns } from "./table.ts";

export function insertLinkedSignIn(db: Db, linked: LinkedSignInRecord): Statement {
  return db.insert(linkedSignIns).values(linked);
}

export function markLinkedSignInUsed(
  db: Db,
  { id, begun_at, last_used_at }: Pick<LinkedSignInRecord, "id" | "begun_at" | "last_used_at">,
): Statement {
  return db.update(linkedSignIns).set({ begun_at, last_used_at }).where(eq(linkedSignIns.id, id));
}

export function deleteLinkedSignIn(db: Db, { id, user_id }: Pick<LinkedSignInRecord, "id" | "user_id">): Statement {
  return db.delete(linkedSignIns).where(and(eq(linkedSignIns.id, id), eq(linkedSignIns.user_id, user_id)));
}
