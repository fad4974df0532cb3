import { commit } from "../../access/commit.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { limitsOf, readPolicy } from "../../access/session-policy.ts";
import { expiredCookie, openSession } from "../../access/sessions.ts";
import { ApiError, notFound, unauthenticated } from "../../contract/errors.ts";
import type { Login, MeChange } from "../../contract/session.ts";
import { deleteTokensOf } from "../../data/credentials/write.ts";
import type { Statement } from "../../data/db.ts";
import type { MailRecord } from "../../data/mail/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import {
  findLiveSession,
  findPasswordHash,
  findSession,
  findSignIn,
  hasSignedIn,
  isKnownBrowser,
  listSessions,
  type SessionRecord,
} from "../../data/sessions/read.ts";
import { deleteSession, deleteSessionsOf, replaceHash } from "../../data/sessions/write.ts";
import { findSecondFactors } from "../../data/two-factor/read.ts";
import { findUser, type UserRecord } from "../../data/users/read.ts";
import { renameUser } from "../../data/users/write.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { currentHashPrefix, hashPassword, isPassword } from "../../platform/password.ts";
import { countGuess } from "./password-guesses.ts";
import { requirePasswordAllowed } from "./required-provider.ts";
import { type AcceptedFactor, acceptSecondFactor, type GivenFactor, secondFactorsOf } from "./second-factor.ts";
import { buildSecurityMail } from "./security-mail.ts";

/** The same for everybody, so that it does not tell who has an account. */
const WRONG_ON_FREE =
  "email or password is wrong, or the password was set where hashes may cost more: reset it, or have the operator print a sign-in link";

export interface CurrentUser {
  user: UserRecord;
  principal: UserPrincipal;
  session: SessionRecord | null;
  /** How long sessions last at most. */
  session_ms: number;
  has_password: boolean;
  second_factors: ReturnType<typeof secondFactorsOf>;
}

/** A wrong password, an address without an account and an account without a password look and take the same. */
export async function signIn(
  ctx: RequestScope,
  { email, password, ...second }: Login,
): Promise<{ me: CurrentUser; cookies: string[] }> {
  await requirePasswordAllowed(ctx, email, "password");
  const found = await findSignIn(ctx.db, email);
  const release = await countGuess(ctx, { email, user: found?.user });
  if (!isPassword(ctx.settings, password, found?.hash ?? null) || !found) {
    if (found) ctx.defer(auditFailedSignIn(ctx, found.user));
    throw unauthenticated(ctx.settings.PLAN === "free" ? WRONG_ON_FREE : "email or password is wrong");
  }
  await release();
  const { user } = found;
  const factor = await acceptFactorOf(ctx, user, second);
  const statements = [...factor.statements, ...renewHash(ctx, { user_id: user.id, password, hash: found.hash })];
  const accepted = { ...factor, statements, hasGivenPassword: true };
  const { session, session_ms, cookies, principal } = await beginSession(ctx, user, accepted);
  const second_factors = factor.isOn ? secondFactorsOf(await findSecondFactors(ctx.db, user.id)) : [];
  return {
    me: { user, principal, session, session_ms, has_password: true, second_factors },
    cookies,
  };
}

/** The password is at hand only now: a hash of an earlier root key or cost is replaced. */
function renewHash(
  ctx: RequestScope,
  { user_id, password, hash }: { user_id: string; password: string; hash: string | null },
): Statement[] {
  if (hash === null || hash.startsWith(currentHashPrefix(ctx.settings))) return [];
  return [replaceHash(ctx.db, { user_id, from: hash, to: hashPassword(ctx.settings, password) })];
}

/** Throws 401 for a missing or wrong second factor, which the account's audit log then shows. */
export async function acceptFactorOf(ctx: RequestScope, user: UserRecord, given: GivenFactor) {
  try {
    return await acceptSecondFactor(ctx, user.id, given);
  } catch (error) {
    if (given.code || given.passkey) ctx.defer(auditFailedSignIn(ctx, user));
    throw error;
  }
}

/** For the history of sign-ins, beside the address. */
function deviceOf({ userAgent, place }: RequestScope) {
  return { browser: userAgent, place };
}

/** After the response, so that its time says nothing about the account. */
export async function auditFailedSignIn(
  ctx: RequestScope,
  { id, email }: UserRecord,
  reason: string | null = null,
): Promise<void> {
  const summary = `a sign-in as ${email} failed${reason === null ? "" : `: ${reason}`}`;
  try {
    await commit({ ...ctx, auditEvent: "session.refused" }, [], {
      audit: { owner_id: id, target_type: "user", target_id: id, summary, data: deviceOf(ctx) },
    });
  } catch (error) {
    ctx.log.error("failed sign-in not audited", error, { user_id: id });
  }
}

/** What lets a session begin. */
export interface Justified extends AcceptedFactor {
  hasGivenPassword?: boolean;
  /** Of the provider of sign-in by which it begins. */
  linkedSignInId?: string | null;
  /** What is stored beside the session. */
  beside?: (sessionId: string) => Promise<Statement[]>;
}

/** Opens a session together with the statements that justify it, and mails the account when the browser is new. */
export async function beginSession(
  ctx: RequestScope,
  user: UserRecord,
  { statements: before, guards, isRecovery, hasGivenPassword = false, linkedSignInId = null, beside }: Justified,
) {
  const { record, statement, cookies, session_ms } = await openAudited(ctx, user, { hasGivenPassword, linkedSignInId });
  const principal = toPrincipal(user, { token_id: null, session_id: record.id }, ctx.settings);
  const mail = isRecovery ? await recoveryMail(ctx, user) : await newBrowserMail(ctx, user);
  const kept = (await beside?.(record.id)) ?? [];
  const statements = [...before, statement, ...kept, ...(mail ? [insertMail(ctx.db, mail)] : [])];
  const audit = { ...sessionAudit(principal, record.id, "in"), data: deviceOf(ctx) };
  await commit({ ...ctx, principal }, statements, { audit, guards });
  if (mail) sendAfterResponse(ctx, mail);
  return { session: record, session_ms, cookies, principal };
}

/** A sign-in that was right, but comes from where none is allowed, is worth a line in the history. */
async function openAudited(ctx: RequestScope, user: UserRecord, began: Parameters<typeof openSession>[2]) {
  try {
    return await openSession(ctx, user, began);
  } catch (error) {
    if (error instanceof ApiError && error.code === "network_not_allowed") {
      ctx.defer(auditFailedSignIn(ctx, user, "it came from an address that operators do not allow"));
    }
    throw error;
  }
}

async function newBrowserMail(ctx: RequestScope, user: UserRecord): Promise<MailRecord | null> {
  if (await isKnownBrowser(ctx.db, { user_id: user.id, user_agent: ctx.userAgent })) return null;
  // The link that the operator printed for the first run warns nobody of themselves.
  if (user.operator && !(await hasSignedIn(ctx.db, user.id))) return null;
  const text = "Your account was signed in to from a browser that it was not used in lately.";
  return buildSecurityMail(ctx, user, { subject: "New sign-in to your account", text });
}

function recoveryMail(ctx: RequestScope, user: UserRecord): Promise<MailRecord | null> {
  const text = "Your account was signed in to with a recovery code, which is used up now.";
  return buildSecurityMail(ctx, user, { subject: "A recovery code of your account was used", text });
}

/** The session is over for good; with an API token there is none to end. Gives the cookie that clears the browser's. */
export async function signOut(ctx: RequestScope): Promise<string> {
  const user = requireUser(ctx);
  const statements = user.session_id === null ? [] : [deleteSession(ctx.db, user.session_id)];
  await commit(ctx, statements, { audit: sessionAudit(user, user.session_id ?? user.user_id, "out") });
  return expiredCookie(ctx.publicUrl);
}

export async function getMe(ctx: RequestScope): Promise<CurrentUser> {
  const principal = requireUser(ctx);
  const [user, hash, session, factors, { session_ms }] = await Promise.all([
    findUser(ctx.db, principal.user_id),
    findPasswordHash(ctx.db, principal.user_id),
    principal.session_id === null ? undefined : findSession(ctx.db, principal.session_id),
    findSecondFactors(ctx.db, principal.user_id),
    readPolicy(ctx),
  ]);
  if (!user) throw unauthenticated();
  return {
    user,
    principal,
    session: session ?? null,
    session_ms,
    has_password: hash !== null,
    second_factors: secondFactorsOf(factors),
  };
}

export async function changeMe(ctx: RequestScope, { name }: MeChange): Promise<CurrentUser> {
  const me = await getMe(ctx);
  const { id } = me.user;
  await commit(ctx, [renameUser(ctx.db, { id, name })], {
    audit: { owner_id: id, target_type: "user", target_id: id, summary: "changed their name", data: { name } },
  });
  return { ...me, user: { ...me.user, name } };
}

/** With how long each lasts at most. */
export async function listMySessions(ctx: RequestScope, page: { limit: number; offset: number }) {
  const policy = await readPolicy(ctx);
  const mine = { user_id: requireUser(ctx).user_id, limits: limitsOf(policy, ctx.now) };
  return { ...(await listSessions(ctx.db, mine, page)), session_ms: policy.session_ms };
}

export async function endSession(ctx: RequestScope, sessionId: string): Promise<void> {
  const user = requireUser(ctx);
  const limits = limitsOf(await readPolicy(ctx), ctx.now);
  const session = await findLiveSession(ctx.db, { user_id: user.user_id, id: sessionId, limits });
  if (!session) throw notFound("session");
  await commit(ctx, [deleteSession(ctx.db, session.id)], { audit: sessionAudit(user, session.id, "out") });
}

/** Ends every session and token of the caller, the presented credential included. */
export async function revokeAll(ctx: RequestScope): Promise<string> {
  const user = requireUser(ctx);
  await commit(ctx, [deleteSessionsOf(ctx.db, user.user_id), ...deleteTokensOf(ctx.db, user.user_id)], {
    audit: {
      owner_id: user.user_id,
      target_type: "user",
      target_id: user.user_id,
      summary: `${user.email} ended all sessions and tokens`,
    },
  });
  return expiredCookie(ctx.publicUrl);
}

function sessionAudit(user: UserPrincipal, sessionId: string, way: "in" | "out") {
  return {
    owner_id: user.user_id,
    target_type: "session",
    target_id: sessionId,
    summary: `${user.email} signed ${way}`,
  };
}
