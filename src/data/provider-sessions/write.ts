import { and, eq, inArray, lte, or, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { sessions } from "../sessions/table.ts";
import type { ProviderSessionRecord } from "./read.ts";
import { providerSessions } from "./table.ts";

export function insertProviderSession(db: Db, record: ProviderSessionRecord): Statement {
  return db.insert(providerSessions).values(record);
}

/** Whether this caller is the one that asks: of two at once only the first, so that no refresh token is sent twice. */
export async function claimProviderSession(
  db: Db,
  { session_id, ask_at }: Pick<ProviderSessionRecord, "session_id" | "ask_at">,
  next: number,
): Promise<boolean> {
  const rows = await db
    .update(providerSessions)
    .set({ ask_at: next })
    .where(and(eq(providerSessions.session_id, session_id), sql`${providerSessions.ask_at} = ${ask_at}`))
    .returning({ id: providerSessions.session_id });
  return rows.length > 0;
}

export function renewProviderSession(
  db: Db,
  { session_id, sealed, updated_at }: Pick<ProviderSessionRecord, "session_id" | "sealed" | "updated_at">,
): Statement {
  return db.update(providerSessions).set({ sealed, updated_at }).where(eq(providerSessions.session_id, session_id));
}

/**
 * The sessions that began by this session of a provider, until then. Where the provider names the person, too, those of
 * theirs of which it never named a session end as well.
 */
export function deleteSessionsOfSid(
  db: Db,
  { issuer, sid, linkedSignInId }: { issuer: string; sid: string; linkedSignInId: string | null },
  until: number,
): Statement {
  const named = db
    .select({ id: providerSessions.session_id })
    .from(providerSessions)
    .where(and(eq(providerSessions.issuer, issuer), eq(providerSessions.sid, sid)));
  const unnamed =
    linkedSignInId === null
      ? undefined
      : and(
          eq(sessions.linked_sign_in_id, linkedSignInId),
          sql`NOT EXISTS (SELECT 1 FROM ${providerSessions} p WHERE p.session_id = ${sessions.id} AND p.sid IS NOT NULL)`,
        );
  return db.delete(sessions).where(and(or(inArray(sessions.id, named), unnamed), lte(sessions.created_at, until)));
}
