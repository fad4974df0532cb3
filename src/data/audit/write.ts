import type { Db, Statement } from "../db.ts";
import type { AuditRecord } from "./read.ts";
import { auditLog } from "./table.ts";

export function insertAudit(db: Db, record: AuditRecord): Statement {
  return db.insert(auditLog).values(record).onConflictDoNothing();
}
