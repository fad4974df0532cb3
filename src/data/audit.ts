import { auditLog } from "./audit.table.ts";
import type { Db, Statement } from "./db.ts";

export type AuditRecord = typeof auditLog.$inferSelect;

export function insertAudit(db: Db, record: AuditRecord): Statement {
  return db.insert(auditLog).values(record).onConflictDoNothing();
}
