import { ApiError, conflict, invalid } from "../contract/errors.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { findIdempotencyKey, type IdempotencyRecord } from "../data/idempotency/read.ts";
import { deleteUnfinishedRequest, insertIdempotencyKey, storeIdempotentResponse } from "../data/idempotency/write.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { violates } from "../platform/d1-errors.ts";
import type { RequestScope } from "./scope.ts";

const KEY_LENGTH_MAX = 255;
export const IDEMPOTENCY_KEPT_MS = DAY_MS;
/** No request runs this long: after it, the key's first request counts as aborted. */
const UNANSWERED_MS = 2 * MINUTE_MS;

export function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const key = header.trim();
  if (key === "" || key.length > KEY_LENGTH_MAX) {
    throw invalid(`Idempotency-Key must have 1 to ${KEY_LENGTH_MAX} characters`);
  }
  return key;
}

/** The id of what an earlier request with this key made; undefined when this is the first. */
export async function findIdempotentResult(ctx: RequestScope): Promise<string | null | undefined> {
  return (await findEarlier(ctx))?.resource_id;
}

/** What an earlier request with this key answered, where that was kept; undefined when this is the first. */
export async function findEarlierAnswer<Answer>(
  ctx: RequestScope,
  parse: (stored: unknown) => Answer,
): Promise<Answer | undefined> {
  const earlier = await findEarlier(ctx);
  return earlier && parse(earlier.answer);
}

async function findEarlier(ctx: RequestScope): Promise<IdempotencyRecord | undefined> {
  if (!ctx.idempotency) return undefined;
  const earlier = await findIdempotencyKey(ctx.db, ctx.idempotency, ctx.now - IDEMPOTENCY_KEPT_MS);
  if (!earlier) return undefined;
  if (!ctx.idempotency.body_hashes.includes(earlier.body_hash)) {
    throw new ApiError(422, "Idempotency-Key was already used with another body", { code: "idempotency_mismatch" });
  }
  ctx.idempotency.resource_id = earlier.resource_id;
  return earlier;
}

/**
 * For requests without an object to load again: the response of the first one is stored and returned to repeats; while
 * the first one runs, repeats are 409. `claim` writes `recordIdempotentResult` together with the change.
 */
export async function runOnce<Answer>(
  ctx: RequestScope,
  parse: (stored: unknown) => Answer,
  { claim, run }: { claim: () => Promise<void>; run: () => Promise<Answer> },
): Promise<Answer> {
  const earlier = await findEarlier(ctx);
  if (earlier && earlier.answer !== null) return parse(earlier.answer);
  if (earlier) await deleteUnanswered(ctx, ctx.now - UNANSWERED_MS);
  await claim();
  try {
    const answer = await run();
    if (ctx.idempotency) await runBatch(ctx.db, [storeIdempotentResponse(ctx.db, ctx.idempotency, answer)]);
    return answer;
  } catch (error) {
    await deleteUnanswered(ctx, ctx.now);
    throw error;
  }
}

/** Where nothing else is written. */
export async function claimKey(ctx: RequestScope, resourceId: string | null): Promise<void> {
  try {
    await runBatch(ctx.db, recordIdempotentResult(ctx, resourceId));
  } catch (error) {
    throw violates(error, "idempotency_keys.user_id") ? requestInProgress() : error;
  }
}

async function deleteUnanswered(ctx: RequestScope, takenUpTo: number): Promise<void> {
  if (ctx.idempotency) await runBatch(ctx.db, [deleteUnfinishedRequest(ctx.db, ctx.idempotency, takenUpTo)]);
}

/** Routes that show a secret once never show it again: a repeat learns only what was made. */
export function alreadyShown(resourceId: string | null): ApiError {
  return conflict(`this Idempotency-Key already made ${resourceId ?? "its object"}; its secret was shown once`);
}

/** Of two equal requests at once one makes something; the other may ask again for what that was. */
export function requestInProgress(): ApiError {
  const message = "another request with this Idempotency-Key was made at the same time";
  return new ApiError(409, message, { code: "conflict", headers: { "Retry-After": "1" } });
}

/** `answer` is for what cannot be presented again from the resource. */
export function recordIdempotentResult(
  ctx: RequestScope,
  resourceId: string | null,
  answer: unknown = null,
): Statement[] {
  if (!ctx.idempotency) return [];
  const { body_hashes, ...request } = ctx.idempotency;
  const record = { ...request, body_hash: body_hashes[0], resource_id: resourceId, answer, created_at: ctx.now };
  return [insertIdempotencyKey(ctx.db, record)];
}
