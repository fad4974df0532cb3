import { and, eq, inArray, lte, ne } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import type { SessionLimits, SessionRecord } from "./read.ts";
import { passwords, sessions } from "./table.ts";

export function insertSession(db: Db, session: SessionRecord): Statement {
  return db.insert(sessions).values(session);
}

export function deleteSession(db: Db, sessionId: string): Statement {
  return db.delete(sessions).where(eq(sessions.id, sessionId));
}

/** All sessions of an account, or all but one. */
export function deleteSessionsOf(db: Db, userId: string, keptId?: string | null): Statement {
  const others = keptId ? ne(sessions.id, keptId) : undefined;
  return db.delete(sessions).where(and(eq(sessions.user_id, userId), others));
}

/** Those that began by this linked sign-in, until then. */
export function deleteSessionsLinkedTo(db: Db, linkedSignInId: string, until: number): Statement {
  return db
    .delete(sessions)
    .where(and(eq(sessions.linked_sign_in_id, linkedSignInId), lte(sessions.created_at, until)));
}

/** All that began by a provider. */
export function deleteSessionsOfIssuer(db: Db, issuer: string): Statement {
  const linked = db.select({ id: linkedSignIns.id }).from(linkedSignIns).where(eq(linkedSignIns.issuer, issuer));
  return db.delete(sessions).where(inArray(sessions.linked_sign_in_id, linked));
}

export function markPasswordGiven(db: Db, sessionId: string, now: number): Statement {
  return db.update(sessions).set({ password_at: now }).where(eq(sessions.id, sessionId));
}

/** One statement for each limit, because each has its index. */
export function deleteDeadSessions(db: Db, limits: SessionLimits): Statement[] {
  return [
    deleteSome(db, sessions, lte(sessions.last_used_at, limits.idle_since)),
    deleteSome(db, sessions, lte(sessions.created_at, limits.begun_before)),
  ];
}

/** Only while the password is still the same. */
export function replaceHash(db: Db, { user_id, from, to }: { user_id: string; from: string; to: string }): Statement {
  return db
    .update(passwords)
    .set({ hash: to })
    .where(and(eq(passwords.user_id, user_id), eq(passwords.hash, from)));
}

export function setPassword(db: Db, { user_id, hash, now }: { user_id: string; hash: string; now: number }): Statement {
  return db
    .insert(passwords)
    .values({ user_id, hash, created_at: now, updated_at: now })
    .onConflictDoUpdate({ target: passwords.user_id, set: { hash, updated_at: now } });
}
