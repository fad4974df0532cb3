import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { openSession } from "../../access/sessions.ts";
import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import { type ApiError, conflict, forbidden, invalid, notFound, unauthenticated } from "../../contract/errors.ts";
import { Email } from "../../contract/member.ts";
import type { AccessProvider, SignInProvider } from "../../contract/sign-in.ts";
import type { Statement } from "../../data/db.ts";
import {
  findLinkedUser,
  isLastLinkedSignIn,
  isSignInLinked,
  isSignInUnlinked,
  isSignInUsed,
  type LinkedSignInRecord,
  listLinkedSignIns,
} from "../../data/linked-sign-ins/read.ts";
import { deleteLinkedSignIn, insertLinkedSignIn, markLinkedSignInUsed } from "../../data/linked-sign-ins/write.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findOwnerOfSid } from "../../data/provider-sessions/read.ts";
import { deleteSessionsOfSid } from "../../data/provider-sessions/write.ts";
import { findPasswordHash, findSignIn } from "../../data/sessions/read.ts";
import { deleteSessionsLinkedTo } from "../../data/sessions/write.ts";
import { findGroupRoles } from "../../data/sign-in-providers/read.ts";
import { findUser, findUserByEmail, type UserRecord } from "../../data/users/read.ts";
import { insertUser } from "../../data/users/write.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { decideFirstSignIn, normalAddress } from "../../domain/sign-in.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { assertionOf, readAccessIdentity } from "../../platform/cloudflare-access.ts";
import { newId } from "../../platform/ids.ts";
import { isPassword } from "../../platform/password.ts";
import { readLogoutToken } from "../../platform/provider-sessions.ts";
import { beginAtProvider, finishAtProvider, type ProvenIdentity } from "../../platform/sign-in-providers.ts";
import { deactivateByProvider } from "../deactivation/service.ts";
import { verifyAddress } from "../sessions/credentials.ts";
import { countGuess } from "../sessions/password-guesses.ts";
import { hasSecondFactor } from "../sessions/second-factor.ts";
import { buildSecurityMail } from "../sessions/security-mail.ts";
import { acceptFactorOf, beginSession } from "../sessions/service.ts";
import { redirectUriOf } from "../sign-in-providers/addresses.ts";
import { getProvider, listProviders } from "../sign-in-providers/known.ts";
import { type Attempt, keepAttempt, openProof, type Proof, sealProof } from "./attempt.ts";
import { applyGroups } from "./groups.ts";
import { keepTokens } from "./provider-session.ts";

export { askProviders, sweepProviderSessions } from "./refresh.ts";

const LINKED_MAX = 50;

/** What came of an answer of a provider. */
export type SignInOutcome =
  | { kind: "signed_in"; cookies: string[]; next: string | null }
  /** An account with this address exists: its holder confirms once, with what the account asks for. */
  | { kind: "confirm"; proof: string; email: string; needs_password: boolean; needs_code: boolean }
  /** Somebody is signed in and links what they proved. */
  | { kind: "link"; proof: string; email: string };

type AnyProvider = SignInProvider | AccessProvider;

/** Gives where the browser goes, and the cookie that it keeps meanwhile. */
export async function beginSignIn(
  ctx: RequestScope,
  provider: SignInProvider,
  { next, linkTo = null }: { next: string | null; linkTo?: string | null },
): Promise<{ location: string; cookie: string }> {
  const { location, attempt } = await beginAtProvider(ctx.settings, provider, redirectUriOf(ctx, provider));
  const kept = { ...attempt, provider_id: provider.id, next, link_to: linkTo, begun_at: ctx.now };
  return { location: location.href, cookie: await keepAttempt(ctx, kept) };
}

/** Takes what the provider answered to an attempt of this browser. Throws a ProviderError or an ApiError. */
export async function finishSignIn(
  ctx: RequestScope,
  provider: SignInProvider,
  { attempt, answer }: { attempt: Attempt; answer: URL },
): Promise<SignInOutcome> {
  const redirectUri = redirectUriOf(ctx, provider);
  const said = await finishAtProvider(ctx.settings, provider, { answer, attempt, redirectUri });
  return accept(ctx, provider, { attempt, said, isOnce: true });
}

/** Takes what Access says of this request. It says the same of every one, so that it may sign in again. */
export async function signInByAccess(
  ctx: RequestScope,
  provider: AccessProvider,
  { request, next, linkTo }: { request: Request; next: string | null; linkTo: string | null },
): Promise<SignInOutcome> {
  const said = await readAccessIdentity(ctx.settings, provider, assertionOf(request));
  return accept(ctx, provider, { attempt: { next, link_to: linkTo, begun_at: ctx.now }, said, isOnce: false });
}

async function accept(
  ctx: RequestScope,
  provider: AnyProvider,
  { attempt, said, isOnce }: { attempt: Answered["attempt"]; said: ProvenIdentity; isOnce: boolean },
): Promise<SignInOutcome> {
  const mapped = said.groups.length === 0 ? [] : await findGroupRoles(ctx.db, provider.id);
  const groups = said.groups.filter((each) => mapped.some(({ group }) => group === each));
  const identity = { ...said, email: addressOf(said), groups: [...new Set(groups)] };
  const found = await findLinkedUser(ctx.db, identity);
  if (!said.is_active) {
    if (found) await deactivateByProvider(ctx, found.user, provider);
    throw forbidden(`${provider.name} says that you are not active there`);
  }
  if (attempt.link_to !== null) return offerLink(ctx, provider, { attempt, identity, found });
  if (found) {
    const proof = proofOf(provider, { attempt, identity, user_id: found.user.id });
    if (await hasSecondFactor(ctx, found.user.id)) {
      const asked = { needs_password: false, needs_code: true, email: found.user.email };
      return { kind: "confirm", proof: await sealProof(ctx, proof), ...asked };
    }
    return { kind: "signed_in", ...(await signInLinked(ctx, found, { proof, code: null, isOnce })) };
  }
  return signInFirst(ctx, provider, { attempt, identity });
}

function addressOf({ email }: ProvenIdentity): string | null {
  const address = email === null ? null : normalAddress(email);
  return Email.safeParse(address).data ?? null;
}

interface Answered {
  attempt: Pick<Attempt, "next" | "link_to" | "begun_at">;
  identity: ProvenIdentity;
}

function proofOf(provider: AnyProvider, { attempt, identity, user_id }: Answered & { user_id: string }): Proof {
  const { issuer, subject, email, groups, session } = identity;
  const { next, begun_at } = attempt;
  return { provider_id: provider.id, issuer, subject, email, groups, session, next, user_id, begun_at };
}

async function signInFirst(ctx: RequestScope, provider: AnyProvider, answered: Answered): Promise<SignInOutcome> {
  const { email } = answered.identity;
  const user = email === null ? undefined : await findUserByEmail(ctx.db, email);
  const account = user ? { is_verified: user.email_verified_at !== null } : null;
  switch (decideFirstSignIn({ account, email, provider })) {
    case "no_address":
      throw forbidden(`${provider.name} does not say that your address is verified`);
    case "no_account":
      throw forbidden(`nobody with the address ${email} has an account here`);
    case "create":
      return { kind: "signed_in", ...(await createAccount(ctx, provider, answered)) };
    case "prove":
      if (!user) throw new Error("no account to prove the address of");
      return { kind: "signed_in", ...(await proveAccount(ctx, provider, { ...answered, user })) };
    case "confirm": {
      if (!user) throw new Error("no account to confirm");
      const [hash, needs_code] = await Promise.all([findPasswordHash(ctx.db, user.id), hasSecondFactor(ctx, user.id)]);
      if (hash === null) {
        throw forbidden("your account has no password to confirm it with: sign in by a link, then link it");
      }
      const proof = await sealProof(ctx, proofOf(provider, { ...answered, user_id: user.id }));
      const asked = { needs_password: true, needs_code };
      return { kind: "confirm", proof, email: user.email, ...asked };
    }
  }
}

/** The provider vouches for the address, and its operator for the provider. */
async function createAccount(ctx: RequestScope, provider: AnyProvider, { attempt, identity }: Answered) {
  const { email, name } = identity;
  if (email === null) throw new Error("an account needs an address");
  const user: UserRecord = {
    id: newId(ctx.now),
    email,
    name: name?.trim().slice(0, NAME_LENGTH_MAX).toWellFormed() || email,
    plan: null,
    beta: null,
    email_verified_at: ctx.now,
    vouched_by: null,
    deactivated_at: null,
    deleted_at: null,
    opened_accounts: 0,
    operator: false,
    preferences: {},
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const proof = proofOf(provider, { attempt, identity, user_id: user.id });
  const linked = linkedOf(ctx, proof);
  const session = await openSession(ctx, user, { hasGivenPassword: false, linkedSignInId: linked.id });
  const principal = toPrincipal(user, { token_id: null, session_id: session.record.id }, ctx.settings);
  const statements = [
    insertUser(ctx.db, user),
    insertLinkedSignIn(ctx.db, linked),
    session.statement,
    ...(await keepTokens(ctx, proof, session.record.id)),
  ];
  await commit({ ...ctx, principal }, statements, {
    audit: auditOf(user, `${user.email} signed in with ${provider.name} and got an account`),
    conflicts: { "linked_sign_ins.issuer": beginAgain(), "users.email": beginAgain() },
  });
  await applyGroups(ctx, { user, provider, groups: identity.groups });
  return { cookies: session.cookies, next: attempt.next };
}

/** Nobody had proved the address, so every credential from before ends. */
async function proveAccount(
  ctx: RequestScope,
  provider: AnyProvider,
  { user, ...answered }: Answered & { user: UserRecord },
) {
  const proof = proofOf(provider, { ...answered, user_id: user.id });
  const linked = linkedOf(ctx, proof);
  const { cookies } = await beginSession(ctx, user, {
    statements: [...(await verifyAddress(ctx, user)), insertLinkedSignIn(ctx.db, linked)],
    guards: [unlinkedYet(linked)],
    isRecovery: false,
    isOn: false,
    linkedSignInId: linked.id,
    beside: (id) => keepTokens(ctx, proof, id),
  });
  await applyGroups(ctx, { user, provider, groups: proof.groups });
  return { cookies, next: answered.attempt.next };
}

function linkedOf({ now }: RequestScope, { issuer, subject, email, user_id, begun_at }: Proof): LinkedSignInRecord {
  const times = { begun_at, last_used_at: now, created_at: now, updated_at: now };
  return { id: newId(now), user_id, issuer, subject, email, ...times };
}

/** Each answer of a provider signs in once, and each confirmation. */
async function signInLinked(
  ctx: RequestScope,
  { user, linked }: { user: UserRecord; linked: LinkedSignInRecord },
  { proof, code, isOnce }: { proof: Proof; code: string | null; isOnce: boolean },
) {
  const factor = await acceptFactorOf(ctx, user, { code });
  const used: Guard = {
    name: "stale",
    when: isOnce ? isSignInUsed(proof, proof.begun_at) : isSignInUnlinked(proof),
    error: beginAgain(),
  };
  const mark = markLinkedSignInUsed(ctx.db, { id: linked.id, begun_at: proof.begun_at, last_used_at: ctx.now });
  const { cookies } = await beginSession(ctx, user, {
    ...factor,
    statements: [mark, ...factor.statements],
    guards: [used, ...factor.guards],
    linkedSignInId: linked.id,
    beside: (id) => keepTokens(ctx, proof, id),
  });
  await applyProven(ctx, user, proof);
  return { cookies, next: proof.next };
}

/** The second step: the code of a linked account, or the password of one that is not linked yet, which links it. */
export async function confirmSignIn(
  ctx: RequestScope,
  sealed: string | null,
  { password, code }: { password: string; code: string | null },
): Promise<{ cookies: string[]; next: string | null }> {
  const proof = await openProof(ctx, sealed);
  if (!proof) throw beginAgain();
  const found = await findLinkedUser(ctx.db, proof);
  if (found?.user.id === proof.user_id) return signInLinked(ctx, found, { proof, code, isOnce: true });
  const user = await findUser(ctx.db, proof.user_id);
  if (found || !user || user.email_verified_at === null || user.email !== proof.email) throw beginAgain();
  const signIn = await findSignIn(ctx.db, user.email);
  const release = await countGuess(ctx, { email: user.email, user });
  if (!isPassword(ctx.settings, password, signIn?.hash ?? null)) throw unauthenticated("the password is wrong");
  await release();
  const factor = await acceptFactorOf(ctx, user, { code });
  const linked = linkedOf(ctx, proof);
  const { statements, settle } = await linkStatements(ctx, user, linked);
  const { cookies } = await beginSession(ctx, user, {
    ...factor,
    statements: [...statements, ...factor.statements],
    guards: [unlinkedYet(linked), ...factor.guards],
    hasGivenPassword: true,
    linkedSignInId: linked.id,
    beside: (id) => keepTokens(ctx, proof, id),
  });
  settle();
  await applyProven(ctx, user, proof);
  return { cookies, next: proof.next };
}

/** Nobody has the cookies of a session yet whose groups could not be applied. */
async function applyProven(ctx: RequestScope, user: UserRecord, { provider_id, groups }: Proof): Promise<void> {
  const { name } = await getProvider(ctx, provider_id);
  await applyGroups(ctx, { user, provider: { id: provider_id, name }, groups });
}

function unlinkedYet(linked: LinkedSignInRecord): Guard {
  return { name: "stale", when: isSignInLinked(linked), error: beginAgain() };
}

async function linkStatements(
  ctx: RequestScope,
  user: UserRecord,
  linked: LinkedSignInRecord,
): Promise<{ statements: Statement[]; settle: () => void }> {
  const mail = await buildSecurityMail(ctx, user, {
    subject: "A sign-in was linked to your account",
    text: `You can now sign in to your account with ${new URL(linked.issuer).host}.`,
  });
  return {
    statements: [insertLinkedSignIn(ctx.db, linked), ...(mail ? [insertMail(ctx.db, mail)] : [])],
    settle: () => mail && sendAfterResponse(ctx, mail),
  };
}

interface Offered extends Answered {
  found: { user: UserRecord } | undefined;
}

async function offerLink(
  ctx: RequestScope,
  provider: AnyProvider,
  { attempt, identity, found }: Offered,
): Promise<SignInOutcome> {
  const user = requireUser(ctx);
  if (attempt.link_to !== user.user_id) throw beginAgain();
  if (found) throw conflict("this sign-in is linked to an account already");
  requireSameAddress(user, identity.email);
  const proof = proofOf(provider, { attempt, identity, user_id: user.user_id });
  return { kind: "link", proof: await sealProof(ctx, proof), email: user.email };
}

function requireSameAddress(user: { email: string; is_verified: boolean }, email: string | null): void {
  if (!user.is_verified) throw forbidden("verify the address of your account first");
  if (email !== user.email) {
    throw forbidden(`the provider has to say that ${user.email} is your verified address, and says otherwise`);
  }
}

/** The signed-in holder links what the provider said of them. */
export async function linkSignIn(ctx: RequestScope, sealed: string | null): Promise<void> {
  const principal = requireUser(ctx);
  const proof = await openProof(ctx, sealed);
  if (proof?.user_id !== principal.user_id) throw beginAgain();
  requireSameAddress(principal, proof.email);
  const user = await findUser(ctx.db, principal.user_id);
  if (!user) throw unauthenticated();
  const linked = linkedOf(ctx, proof);
  const { statements, settle } = await linkStatements(ctx, user, linked);
  await commit(ctx, statements, {
    audit: auditOf(user, `linked the sign-in of ${new URL(linked.issuer).host}`),
    conflicts: { "linked_sign_ins.issuer": conflict("this sign-in is linked to an account already") },
  });
  settle();
}

/**
 * The provider ended sessions there, so those end that began by it: of its own session where it names one, else all of the
 * person. Says nothing of whom it knows.
 */
export async function endSessionsByProvider(ctx: RequestScope, provider: SignInProvider, token: string): Promise<void> {
  const { at, issuer, subject, sid } = await readLogoutToken(ctx.settings, provider, token);
  const [named, owner] = await Promise.all([
    subject === null ? undefined : findLinkedUser(ctx.db, { issuer, subject }),
    sid === null ? undefined : findOwnerOfSid(ctx.db, { issuer, sid }),
  ]);
  const user = named?.user ?? owner;
  if (!user) return;
  // It says whole seconds.
  const until = at + SECOND_MS - 1;
  const linkedSignInId = named?.linked.id ?? null;
  const ends =
    sid === null
      ? linkedSignInId === null
        ? []
        : [deleteSessionsLinkedTo(ctx.db, linkedSignInId, until)]
      : [deleteSessionsOfSid(ctx.db, { issuer, sid, linkedSignInId }, until)];
  await commit({ ...ctx, principal: { kind: "system" } }, ends, {
    audit: auditOf(user, `${provider.name} ended the sessions that began by it`),
  });
}

/** `provider` is its name, or its address where there is none of it any more. */
export async function listMySignIns(ctx: RequestScope): Promise<(LinkedSignInRecord & { provider: string })[]> {
  const [linked, providers] = await Promise.all([
    listLinkedSignIns(ctx.db, requireUser(ctx).user_id, LINKED_MAX),
    listProviders(ctx),
  ]);
  return linked.map((row) => ({
    ...row,
    provider: providers.find(({ issuer }) => issuer === row.issuer)?.name ?? new URL(row.issuer).host,
  }));
}

/** Ends the sessions that began with it as well. The last way into an account stays. */
export async function unlinkSignIn(ctx: RequestScope, id: string): Promise<void> {
  const { user_id } = requireUser(ctx);
  const linked = (await listMySignIns(ctx)).find((each) => each.id === id);
  if (!linked) throw notFound("linked sign-in");
  const user = await findUser(ctx.db, user_id);
  if (!user) throw unauthenticated();
  const lastWay = conflict("this is the only way into your account: set a password first");
  const hasPassword = (await findPasswordHash(ctx.db, user_id)) !== null;
  const issuers = (await listProviders(ctx)).map(({ issuer }) => issuer);
  const isLast: Guard = { name: "stale", when: isLastLinkedSignIn(linked, issuers), error: lastWay };
  await commit(ctx, [deleteLinkedSignIn(ctx.db, linked)], {
    audit: auditOf(user, `unlinked the sign-in of ${new URL(linked.issuer).host}`),
    guards: hasPassword ? [] : [isLast],
  });
}

function beginAgain(): ApiError {
  return invalid("this sign-in is over: begin again");
}

function auditOf({ id }: UserRecord, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
