import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { keepChallengeToken, siteOf } from "../../access/sessions.ts";
import { ApiError, conflict, invalid, notFound } from "../../contract/errors.ts";
import type {
  Confirmation,
  PasskeyAssertion,
  PasskeyChange,
  PasskeyCreate,
  PasskeyCreation,
  PasskeyRequest,
} from "../../contract/passkey.ts";
import { findPasskey, hasPasskeys, listPasskeys, type PasskeyRecord } from "../../data/passkeys/read.ts";
import { deletePasskey, insertPasskey, renamePasskey } from "../../data/passkeys/write.ts";
import { findPasswordHash } from "../../data/sessions/read.ts";
import { findSecondFactors } from "../../data/two-factor/read.ts";
import { deleteIdleRecoveryCodes, insertRecoveryCodes } from "../../data/two-factor/write.ts";
import { PASSKEYS_MAX } from "../../domain/passkeys.ts";
import { formatRecoveryCode } from "../../domain/totp.ts";
import { oneLine } from "../../lib/one-line.ts";
import { newId } from "../../platform/ids.ts";
import { CHALLENGE_MS, type ChallengeUse, createChallenge } from "../../platform/passkey-challenges.ts";
import { requireConfirmation } from "./own-password.ts";
import { acceptPasskey, openAnswer, ownUse, signInUse, userHandleOf } from "./passkey-proof.ts";
import { requirePasswordAllowed } from "./required-provider.ts";
import { makeRecoveryCodes, secondFactorsOf } from "./second-factor.ts";
import { commitWithMail } from "./security-mail.ts";
import { auditFailedSignIn, beginSession, type CurrentUser } from "./service.ts";

/** Passkeys of the caller's account, which sign in alone and are a second factor beside the password. */
const SERVICE = "Vigil";
/** EdDSA, ES256 and RS256, which between them every device has. */
const ALGORITHMS = [-8, -7, -257];

/** For anybody: stores nothing, and says nothing of who has an account. Gives the cookie that the answer is bound to. */
export function askForSignIn(ctx: RequestScope): { request: PasskeyRequest; cookie: string } {
  const { token, cookie } = keepChallengeToken(ctx);
  return { request: buildRequest(ctx, { purpose: "sign_in", caller: token }, []), cookie };
}

/** For the caller to confirm that it is them. */
export async function askForConfirmation(ctx: RequestScope): Promise<PasskeyRequest> {
  const keys = await listMyPasskeys(ctx);
  return buildRequest(ctx, ownUse(ctx, "confirm"), describeKeys(ctx, keys));
}

function buildRequest(
  ctx: RequestScope,
  use: ChallengeUse,
  allowCredentials: PasskeyRequest["allowCredentials"],
): PasskeyRequest {
  return {
    challenge: createChallenge(ctx.settings.ROOT_SECRET, use, ctx.now),
    rpId: siteOf(ctx).rp_id,
    timeout: CHALLENGE_MS,
    userVerification: "required",
    allowCredentials,
  };
}

/** A passkey is proof of a device and of its person, so it needs no other factor. */
export async function signInByPasskey(
  ctx: RequestScope,
  passkey: PasskeyAssertion,
): Promise<{ me: CurrentUser; cookies: string[] }> {
  const refused = new ApiError(401, "the passkey is not accepted", { code: "passkey_refused" });
  const proof = await acceptPasskey(ctx, passkey, {
    use: signInUse(ctx),
    refused,
    onRefused: (user, reason) => ctx.defer(auditFailedSignIn(ctx, user, reason)),
  });
  const { user, statements, guards } = proof;
  await requirePasswordAllowed(ctx, user.email, "passkey");
  const accepted = { statements, guards, isRecovery: false, isOn: true, hasGivenPassword: true };
  const { session, session_ms, cookies, principal } = await beginSession(ctx, user, accepted);
  const [hash, factors] = await Promise.all([findPasswordHash(ctx.db, user.id), findSecondFactors(ctx.db, user.id)]);
  const me = {
    user,
    principal,
    session,
    session_ms,
    has_password: hash !== null,
    second_factors: secondFactorsOf(factors),
  };
  return { me, cookies };
}

export function listMyPasskeys(ctx: RequestScope): Promise<PasskeyRecord[]> {
  return listPasskeys(ctx.db, requireUser(ctx).user_id, PASSKEYS_MAX);
}

/** Begins a new passkey: the holder of a stolen session or token alone makes none that would outlive it. */
export async function setUpPasskey(ctx: RequestScope, confirmation: Confirmation): Promise<PasskeyCreation> {
  const { user_id, email, name } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const { statements, guards } = await requireConfirmation(ctx, confirmation);
  const keys = await listMyPasskeys(ctx);
  if (keys.length >= PASSKEYS_MAX) throw tooMany();
  const audit = auditOf(user_id, `${email} set up a passkey`);
  await commit(ctx, statements, { audit: { ...audit, target_type: "passkey" }, guards });
  return {
    challenge: createChallenge(ctx.settings.ROOT_SECRET, ownUse(ctx, "register"), ctx.now),
    rp: { id: siteOf(ctx).rp_id, name: SERVICE },
    user: { id: userHandleOf(user_id), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: describeKeys(ctx, keys),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/** Stores the public key. The first second factor of an account comes with recovery codes, which all of them share. */
export async function addPasskey(
  ctx: RequestScope,
  { name, credential }: PasskeyCreate,
): Promise<{ record: PasskeyRecord; recovery_codes: string[] }> {
  const { user_id, email } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  if ((await listMyPasskeys(ctx)).length >= PASSKEYS_MAX) throw tooMany();
  const message = "is not accepted: it expired, was used, or was not made here for this account";
  const refused = invalid(`credential ${message}`, [{ path: "credential", message }]);
  const answer = openAnswer(ctx, ownUse(ctx, "register"));
  const { verifyAttestation } = await import("../../platform/web-authn.ts");
  const key = await verifyAttestation(credential, answer.expected).catch(() => {
    throw refused;
  });
  const record: PasskeyRecord = {
    id: newId(ctx.now),
    user_id,
    name,
    rp_id: answer.expected.rp_id,
    ...key,
    transports: credential.response.transports ?? null,
    last_used_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const isFirst = secondFactorsOf(await findSecondFactors(ctx.db, user_id)).length === 0;
  const { codes, rows } = makeRecoveryCodes(ctx, user_id);
  const used = answer.used(refused);
  const statements = [
    ...used.statements,
    insertPasskey(ctx.db, record),
    ...(isFirst ? [insertRecoveryCodes(ctx.db, rows)] : []),
  ];
  await commitWithMail(ctx, statements, {
    audit: {
      ...auditOf(user_id, `${email} added the passkey "${name}"`),
      target_type: "passkey",
      target_id: record.id,
    },
    guards: [...used.guards, { name: "stale", when: hasPasskeys(user_id, PASSKEYS_MAX), error: tooMany() }],
    conflicts: { "passkeys.credential_id": conflict("this passkey was added before") },
    mail: {
      subject: "New passkey for your account",
      text: `A passkey named "${oneLine(name)}" was added to your account. It signs in without the password.`,
    },
  });
  return { record, recovery_codes: isFirst ? codes.map(formatRecoveryCode) : [] };
}

export async function changePasskey(ctx: RequestScope, id: string, { name }: PasskeyChange): Promise<PasskeyRecord> {
  const { user_id, email } = requireUser(ctx);
  const passkey = await requirePasskey(ctx, id);
  const summary = `${email} renamed the passkey "${passkey.name}" to "${name}"`;
  await commit(ctx, [renamePasskey(ctx.db, { id, name, now: ctx.now })], {
    audit: { ...auditOf(user_id, summary), target_type: "passkey", target_id: id },
  });
  return { ...passkey, name, updated_at: ctx.now };
}

export async function removePasskey(ctx: RequestScope, id: string, confirmation: Confirmation): Promise<void> {
  const { user_id, email } = requireUser(ctx);
  const passkey = await requirePasskey(ctx, id);
  const { statements, guards } = await requireConfirmation(ctx, confirmation);
  const removed = [deletePasskey(ctx.db, user_id, id), deleteIdleRecoveryCodes(ctx.db, user_id)];
  await commitWithMail(ctx, [...statements, ...removed], {
    audit: {
      ...auditOf(user_id, `${email} removed the passkey "${passkey.name}"`),
      target_type: "passkey",
      target_id: id,
    },
    guards,
    mail: {
      subject: "A passkey of your account was removed",
      text: `The passkey "${oneLine(passkey.name)}" was removed from your account.`,
    },
  });
}

async function requirePasskey(ctx: RequestScope, id: string): Promise<PasskeyRecord> {
  const passkey = await findPasskey(ctx.db, requireUser(ctx).user_id, id);
  if (!passkey) throw notFound("passkey");
  return passkey;
}

/** Those that browsers offer under this name of the service. */
function describeKeys(ctx: RequestScope, keys: readonly PasskeyRecord[]): PasskeyRequest["allowCredentials"] {
  const { rp_id } = siteOf(ctx);
  return keys
    .filter((key) => key.rp_id === rp_id)
    .map(({ credential_id, transports }) => ({
      id: credential_id,
      type: "public-key",
      ...(transports ? { transports } : {}),
    }));
}

function tooMany() {
  return conflict(`an account has at most ${PASSKEYS_MAX} passkeys: remove one first`);
}

function auditOf(id: string, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
