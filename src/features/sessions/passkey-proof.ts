import type { Guard } from "../../access/audited-write.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { siteOf } from "../../access/sessions.ts";
import type { ApiError } from "../../contract/errors.ts";
import type { PasskeyAssertion } from "../../contract/passkey.ts";
import type { Statement } from "../../data/db.ts";
import { findPasskeyOwner, isChallengeUsed, isPasskeyStale, type PasskeyRecord } from "../../data/passkeys/read.ts";
import { insertUsedChallenge, storePasskeyUse } from "../../data/passkeys/write.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { isCounterAhead } from "../../domain/passkeys.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { type ChallengeUse, openChallenge } from "../../platform/passkey-challenges.ts";

/** Whether a passkey signed what it was asked to. */
export interface PasskeyProof {
  user: UserRecord;
  passkey: PasskeyRecord;
  /** What uses up the answer; belongs in the batch of the change that it allows. */
  statements: Statement[];
  guards: Guard[];
}

/** For a sign-in; null where this browser asked for no challenge. */
export function signInUse({ challengeToken }: RequestScope): ChallengeUse | null {
  return challengeToken === null ? null : { purpose: "sign_in", caller: challengeToken };
}

/** For what only the session or token that asked for the challenge may do with the answer. */
export function ownUse(ctx: RequestScope, purpose: "confirm" | "register"): ChallengeUse {
  const { user_id, session_id, token_id } = requireUser(ctx);
  return { purpose, caller: [user_id, session_id, token_id].join(" ") };
}

interface Answered {
  use: ChallengeUse | null;
  refused: ApiError;
  /** Checked before the refusal of an account's own passkey, with why where that is worth more than a word. */
  onRefused?: (user: UserRecord, reason: string | null) => void | Promise<void>;
}

/** Throws `refused` for all that a passkey of this service did not sign just now, here, for this. */
export async function acceptPasskey(
  ctx: RequestScope,
  given: PasskeyAssertion,
  { use, refused, onRefused }: Answered,
): Promise<PasskeyProof> {
  const found = use && (await findPasskeyOwner(ctx.db, given.id));
  if (!found) throw refused;
  const { user, passkey } = found;
  const answer = openAnswer(ctx, use);
  const refuse = async (reason: string | null) => {
    await onRefused?.(user, reason);
    return refused;
  };
  if (given.response.userHandle && given.response.userHandle !== userHandleOf(user.id)) throw await refuse(null);
  const { verifyAssertion } = await import("../../platform/web-authn.ts");
  let counter: number;
  try {
    counter = await verifyAssertion(given, passkey, answer.expected);
  } catch {
    throw await refuse(null);
  }
  if (!isCounterAhead(passkey.counter, counter)) {
    throw await refuse(`the counter of the passkey "${passkey.name}" went back, so somebody may have a copy of it`);
  }
  const used = answer.used(refused);
  return {
    user,
    passkey,
    statements: [...used.statements, storePasskeyUse(ctx.db, { id: passkey.id, counter, now: ctx.now })],
    guards: [...used.guards, { name: "stale", when: isPasskeyStale(passkey), error: refused }],
  };
}

/** What an answer is held against, and what uses its challenge up once it was. */
export function openAnswer(ctx: RequestScope, use: ChallengeUse) {
  let opened: { challenge_hash: string; expires_at: number } | undefined;
  const isChallenge = (challenge: string) => {
    const expires_at = openChallenge(ctx.settings.ROOT_SECRET, use, challenge, ctx.now);
    if (expires_at !== null) opened = { challenge_hash: sha256Hex(challenge), expires_at };
    return expires_at !== null;
  };
  const used = (error: ApiError): { statements: Statement[]; guards: Guard[] } => {
    if (!opened) throw error;
    return {
      statements: [insertUsedChallenge(ctx.db, opened)],
      guards: [{ name: "stale", when: isChallengeUsed(opened.challenge_hash), error }],
    };
  };
  return { expected: { ...siteOf(ctx), isChallenge }, used };
}

/** Distinguishes the accounts of one service on a device. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}
