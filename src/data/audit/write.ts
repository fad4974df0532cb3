import type { SQL } from "drizzle-orm";
import { type Db, happensAt, type Statement } from "../db.ts";
import { insertAll } from "../insert-all.ts";
import { insertIf } from "../insert-if.ts";
import type { AuditRecord } from "./read.ts";
import { auditLog } from "./table.ts";

export function insertAudit(db: Db, record: AuditRecord): Statement {
  return happensAt(db.insert(auditLog).values(record).onConflictDoNothing(), [record]);
}

/** One statement for any number of them. */
export function insertAudits(db: Db, records: readonly AuditRecord[]): Statement {
  return happensAt(insertAll(db, auditLog, records), records);
}

const SYSTEM = { actor_type: "system", actor_id: null, actor_name: "system", ip: null } as const;

type SystemEntry = Omit<AuditRecord, keyof typeof SYSTEM>;

/** What the service did by itself; the id is derived, so that a repeat adds none. */
export function insertSystemAudit(db: Db, entry: SystemEntry): Statement {
  return insertAudit(db, { ...entry, ...SYSTEM });
}

/** The same, only if the condition holds at the moment of the write. */
export function insertSystemAuditIf(db: Db, entry: SystemEntry, condition: SQL): Statement {
  return happensAt(insertIf(db, auditLog, { ...entry, ...SYSTEM }, condition), [entry]);
}
