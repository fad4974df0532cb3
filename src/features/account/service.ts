import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { capOf } from "../../access/plan-caps.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import { PLAN_CAP_CLASSES, type PlanCap } from "../../contract/limiter-object.ts";
import type { Region } from "../../contract/monitor-values.ts";
import type { TokenCreate, TokenRotate } from "../../contract/token.ts";
import { insertMail } from "../../data/mail/write.ts";
import { countUsage, type Usage } from "../../data/usage/read.ts";
import { type ApiTokenRecord, findToken, findUser, isTokenReplaced, listTokens } from "../../data/users/read.ts";
import { deleteToken, insertToken, rotateToken } from "../../data/users/write.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { oneLine } from "../../lib/one-line.ts";
import { newApiToken, sha256Hex, tokenPrefix } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { buildSecurityMail } from "../sessions/security-mail.ts";

/** For the sweep of the minute. */
export { sweepDeletedAccounts } from "./purge.ts";

export function listMyTokens(ctx: RequestScope, page: { limit: number; offset: number }) {
  return listTokens(ctx.db, requireUser(ctx).user_id, page);
}

export async function createToken(
  ctx: RequestScope,
  input: TokenCreate,
): Promise<{ record: ApiTokenRecord; token: string }> {
  const user = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  await requireRate(ctx, "token_creation");
  const token = newApiToken();
  const record: ApiTokenRecord = {
    id: newId(ctx.now),
    user_id: user.user_id,
    name: input.name,
    token_hash: sha256Hex(token),
    token_prefix: tokenPrefix(token),
    former_hash: null,
    former_until: null,
    former_used_at: null,
    last_used_at: null,
    expires_at: expiryOf(ctx, input),
    scopes: input.scopes ? [...new Set(input.scopes)] : null,
    status_page_ids: input.status_page_ids ? [...new Set(input.status_page_ids)] : null,
    allowed_networks: input.allowed_networks ?? null,
    trusted_workflow_id: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const mail = await tokenMail(ctx, record, {
    subject: "New API token for your account",
    what: "was created for your account",
  });
  const statements = [insertToken(ctx.db, record), ...(mail ? [insertMail(ctx.db, mail)] : [])];
  await commit(ctx, statements, { audit: tokenAudit(record, "created") });
  if (mail) sendAfterResponse(ctx, mail);
  return { record, token };
}

function expiryOf({ now }: RequestScope, { expires_in_days, expires_at }: TokenCreate): number | null {
  const refuse = (message: string) => invalid(`expires_at ${message}`, [{ path: "expires_at", message }]);
  if (!expires_at) return expires_in_days ? now + expires_in_days * DAY_MS : null;
  if (expires_in_days) throw refuse("cannot be given together with expires_in_days");
  if (expires_at <= now) throw refuse("must be in the future");
  return expires_at;
}

async function tokenMail(
  ctx: RequestScope,
  { user_id, name }: ApiTokenRecord,
  { subject, what }: { subject: string; what: string },
) {
  const account = await findUser(ctx.db, user_id);
  const text = `An API token named "${oneLine(name)}" ${what}.`;
  return account ? buildSecurityMail(ctx, account, { subject, text }) : null;
}

/**
 * A new secret for a token that stays what it is. The secret before goes on for as long as its programs need to change
 * over; one that was rotated away earlier ends.
 */
export async function rotateMyToken(
  ctx: RequestScope,
  tokenId: string,
  { overlap_hours }: TokenRotate,
): Promise<{ record: ApiTokenRecord; token: string }> {
  const user = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const before = await findToken(ctx.db, user.user_id, tokenId);
  if (!before) throw notFound("token");
  if (before.expires_at !== null && before.expires_at <= ctx.now)
    throw conflict("the token has expired: create a new one");
  await requireRate(ctx, "token_creation");
  const token = newApiToken();
  const record: ApiTokenRecord = {
    ...before,
    token_hash: sha256Hex(token),
    token_prefix: tokenPrefix(token),
    former_hash: overlap_hours === 0 ? null : before.token_hash,
    former_until: overlap_hours === 0 ? null : ctx.now + overlap_hours * HOUR_MS,
    former_used_at: null,
    updated_at: ctx.now,
  };
  const mail = await tokenMail(ctx, record, {
    subject: "An API token of your account was rotated",
    what: "got a new secret",
  });
  const { id, token_hash, token_prefix, former_hash, former_until, former_used_at, updated_at } = record;
  const change = { id, token_hash, token_prefix, former_hash, former_until, former_used_at, updated_at };
  await commit(ctx, [rotateToken(ctx.db, change), ...(mail ? [insertMail(ctx.db, mail)] : [])], {
    audit: tokenAudit(record, "rotated"),
    guards: [
      { name: "stale", when: isTokenReplaced(before), error: conflict("another request rotated the token first") },
    ],
  });
  if (mail) sendAfterResponse(ctx, mail);
  return { record, token };
}

/** Takes effect with the next request that presents the token. */
export async function revokeToken(ctx: RequestScope, tokenId: string): Promise<void> {
  const user = requireUser(ctx);
  const token = await findToken(ctx.db, user.user_id, tokenId);
  if (!token) throw notFound("token");
  await commit(ctx, [deleteToken(ctx.db, user.user_id, tokenId)], { audit: tokenAudit(token, "revoked") });
}

export interface AccountUsage extends Usage {
  user: UserPrincipal;
  kept: { raw_results_days: number; history_days: number };
  caps: Record<PlanCap, number | null>;
  regions: readonly Region[];
}

/** What counts against the plan of the caller. */
export async function countMyUsage(ctx: RequestScope): Promise<AccountUsage> {
  const user = requireUser(ctx);
  const { RAW_RESULTS_DAYS, HISTORY_DAYS, REGIONS: regions } = ctx.settings;
  const kept = { raw_results_days: RAW_RESULTS_DAYS[user.plan], history_days: HISTORY_DAYS[user.plan] };
  const limits = PLAN_CAP_CLASSES.map((cap) => [cap, capOf(ctx.settings, cap, user.plan)]);
  // Made from the whole list.
  const caps = Object.fromEntries(limits) as AccountUsage["caps"];
  return { user, kept, caps, regions, ...(await countUsage(ctx.db, user.user_id, ctx.now)) };
}

function tokenAudit(token: ApiTokenRecord, verb: string) {
  return {
    owner_id: token.user_id,
    target_type: "token",
    target_id: token.id,
    summary: `${verb} API token "${token.name}"`,
    data: { token_prefix: token.token_prefix },
  };
}
