import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Db } from "../db.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { sessions } from "../sessions/table.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { providerSessions } from "./table.ts";

export type ProviderSessionRecord = typeof providerSessions.$inferSelect;

export async function findProviderSession(db: Db, sessionId: string): Promise<ProviderSessionRecord | undefined> {
  const rows = await db.select().from(providerSessions).where(eq(providerSessions.session_id, sessionId)).limit(1);
  return rows[0];
}

/** A session whose provider is to be asked, and whose it is. */
export interface DueSession {
  row: ProviderSessionRecord;
  user: UserRecord;
  subject: string;
}

/** Those, or those of these, that were used since their provider was asked last, the longest due first. */
export function listDueSessions(db: Db, now: number, limit: number, ids?: readonly string[]): Promise<DueSession[]> {
  return db
    .select({ row: providerSessions, user: users, subject: linkedSignIns.subject })
    .from(providerSessions)
    .innerJoin(sessions, eq(sessions.id, providerSessions.session_id))
    .innerJoin(users, eq(users.id, sessions.user_id))
    .innerJoin(linkedSignIns, eq(linkedSignIns.id, sessions.linked_sign_in_id))
    .where(
      and(
        lte(providerSessions.ask_at, now),
        gt(sessions.last_used_at, providerSessions.updated_at),
        ids && isAmong(providerSessions.session_id, ids),
      ),
    )
    .orderBy(asc(providerSessions.ask_at))
    .limit(limit);
}

/** Whose session began by this one of a provider. */
export async function findOwnerOfSid(
  db: Db,
  { issuer, sid }: { issuer: string; sid: string },
): Promise<UserRecord | undefined> {
  const rows = await db
    .select({ user: users })
    .from(providerSessions)
    .innerJoin(sessions, eq(sessions.id, providerSessions.session_id))
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(providerSessions.issuer, issuer), eq(providerSessions.sid, sid)))
    .limit(1);
  return rows[0]?.user;
}
