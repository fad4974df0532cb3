import { and, count, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { SecondFactorRule } from "../../contract/session-policy.ts";
import type { Db } from "../db.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import { hasMembership } from "../members/read.ts";
import { passkeys } from "../passkeys/table.ts";
import { POLICY_COLUMNS, type SessionPolicyRecord } from "../session-policy/read.ts";
import { ONLY_POLICY, sessionPolicies } from "../session-policy/table.ts";
import { twoFactors } from "../two-factor/table.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { passwords, sessions } from "./table.ts";

export type SessionRecord = typeof sessions.$inferSelect;

/** Before these instants a session must have been used, or begun, to be over. */
export interface SessionLimits {
  idle_since: number;
  begun_before: number;
}

interface SessionOwner {
  user: UserRecord;
  session: SessionRecord;
  is_member: boolean;
  /** By which the session began; null for a password or passkey. */
  linked: { issuer: string; subject: string } | null;
  /** What operators set for all sessions. */
  policy: SessionPolicyRecord | null;
  /** Whether the account has a second factor; true also where none is required of anybody. */
  has_factor: boolean;
}

/** The person behind a session, and all that decides whether it is still alive, in one indexed read. */
export async function findSessionOwner(
  db: Db,
  tokenHash: string,
  /** The rule of the environment, which comes before that of the operators. */
  { second_factor }: { second_factor: SecondFactorRule | undefined },
): Promise<SessionOwner | undefined> {
  const rule = sql`coalesce(${second_factor ?? null}, ${sessionPolicies.second_factor}, 'optional')`;
  const hasFactor = sql`EXISTS (SELECT 1 FROM ${twoFactors} AS f WHERE f.user_id = ${users.id} AND f.confirmed_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM ${passkeys} AS k WHERE k.user_id = ${users.id})`;
  const rows = await db
    .select({
      user: users,
      session: sessions,
      is_member: hasMembership(users.id),
      linked: { issuer: linkedSignIns.issuer, subject: linkedSignIns.subject },
      policy: POLICY_COLUMNS,
      has_factor: sql<number>`CASE WHEN ${rule} = 'optional' THEN 1 ELSE ${hasFactor} END`.mapWith(Boolean),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .leftJoin(linkedSignIns, eq(linkedSignIns.id, sessions.linked_sign_in_id))
    .leftJoin(sessionPolicies, eq(sessionPolicies.id, ONLY_POLICY))
    .where(and(eq(sessions.token_hash, tokenHash), isNull(users.deactivated_at)))
    .limit(1);
  return rows[0];
}

export async function findSession(db: Db, sessionId: string): Promise<SessionRecord | undefined> {
  const rows = await db.select().from(sessions).where(eq(sessions.id, sessionId)).limit(1);
  return rows[0];
}

export async function touchSession(db: Db, sessionId: string, now: number): Promise<void> {
  await db.update(sessions).set({ last_used_at: now }).where(eq(sessions.id, sessionId));
}

/** Who signs in under this address, and the hash that the password is held against; null: they have none. */
export async function findSignIn(
  db: Db,
  email: string,
): Promise<{ user: UserRecord; hash: string | null } | undefined> {
  const rows = await db
    .select({ user: users, hash: passwords.hash })
    .from(users)
    .leftJoin(passwords, eq(passwords.user_id, users.id))
    .where(eq(users.email, email))
    .limit(1);
  return rows[0];
}

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const rows = await db.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.user_id, userId)).limit(1);
  return rows[0]?.hash ?? null;
}

export async function hasAnyPassword(db: Db): Promise<boolean> {
  return (await db.select({ user_id: passwords.user_id }).from(passwords).limit(1)).length > 0;
}

export async function findLiveSession(
  db: Db,
  { user_id, id, limits }: { user_id: string; id: string; limits: SessionLimits },
): Promise<SessionRecord | undefined> {
  const rows = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, id), isLive(user_id, limits)))
    .limit(1);
  return rows[0];
}

/** The browsers in which a user is signed in, the last used first. */
export async function listSessions(
  db: Db,
  { user_id, limits }: { user_id: string; limits: SessionLimits },
  page: { limit: number; offset: number },
) {
  const live = isLive(user_id, limits);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(sessions)
      .where(live)
      .orderBy(desc(sessions.last_used_at), desc(sessions.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(sessions).where(live),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Whether a live session of the account was begun in a browser of this name. */
export async function isKnownBrowser(
  db: Db,
  { user_id, user_agent }: { user_id: string; user_agent: string | null },
): Promise<boolean> {
  const same = user_agent === null ? isNull(sessions.user_agent) : eq(sessions.user_agent, user_agent);
  const rows = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.user_id, user_id), same))
    .limit(1);
  return rows.length > 0;
}

/** Whether the account has a password or a session, live or expired. */
export async function hasSignedIn(db: Db, userId: string): Promise<boolean> {
  const [hash, rows] = await db.batch([
    db.select({ id: passwords.user_id }).from(passwords).where(eq(passwords.user_id, userId)).limit(1),
    db.select({ id: sessions.id }).from(sessions).where(eq(sessions.user_id, userId)).limit(1),
  ]);
  return hash.length + rows.length > 0;
}

function isLive(userId: string, limits: SessionLimits) {
  return and(
    eq(sessions.user_id, userId),
    gt(sessions.last_used_at, limits.idle_since),
    gt(sessions.created_at, limits.begun_before),
  );
}
