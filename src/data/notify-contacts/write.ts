import type { Db, Statement } from "../db.ts";
import { isThis, type NotifyContactKey, type NotifyContactRecord } from "./read.ts";
import { notifyContacts } from "./table.ts";

export function insertNotifyContact(db: Db, contact: NotifyContactRecord): Statement {
  return db.insert(notifyContacts).values(contact);
}

export function markContactVerified(db: Db, key: NotifyContactKey, now: number): Statement {
  return db.update(notifyContacts).set({ verified_at: now, updated_at: now }).where(isThis(key));
}

export function deleteNotifyContact(db: Db, key: NotifyContactKey): Statement {
  return db.delete(notifyContacts).where(isThis(key));
}
