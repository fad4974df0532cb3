import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { pushAliases } from "./table.ts";

export function insertPushAlias(db: Db, alias: typeof pushAliases.$inferInsert): Statement {
  return db.insert(pushAliases).values(alias);
}

export function deletePushAliases(db: Db, monitorId: string): Statement {
  return db.delete(pushAliases).where(eq(pushAliases.monitor_id, monitorId));
}
