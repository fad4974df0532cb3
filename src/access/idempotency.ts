import { ApiError, conflict, invalid } from "../contract/errors.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { deleteIdempotencyKeysBefore, findIdempotencyKey, insertIdempotencyKey } from "../data/requests.ts";
import type { Ctx } from "./ctx.ts";
import type { Deps } from "./deps.ts";

const KEY_LENGTH_MAX = 255;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A request that may be repeated: who sent it, where, under which key, and what it said. */
export interface Idempotency {
  user_id: string;
  route: string;
  key: string;
  body_hash: string;
  /** What the first request answered with, once it has made something. */
  status: number;
}

export function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const key = header.trim();
  if (key === "" || key.length > KEY_LENGTH_MAX) {
    throw invalid(`Idempotency-Key must have 1 to ${KEY_LENGTH_MAX} characters`);
  }
  return key;
}

/** The id of what an earlier request with this key made; undefined when this is the first. */
export async function findEarlierResult(ctx: Ctx): Promise<string | null | undefined> {
  if (!ctx.idempotency) return undefined;
  const earlier = await findIdempotencyKey(ctx.db, ctx.idempotency, ctx.now - KEPT_MS);
  if (!earlier) return undefined;
  if (earlier.body_hash !== ctx.idempotency.body_hash) {
    throw new ApiError(422, "Idempotency-Key was already used with another body", { code: "idempotency_mismatch" });
  }
  return earlier.resource_id;
}

/** Routes that show a secret once never show it again: a repeat learns only what was made. */
export function alreadyShown(resourceId: string | null): ApiError {
  return conflict(`this Idempotency-Key already made ${resourceId ?? "its object"}; its secret was shown once`);
}

/** Of two equal requests at once one makes something; the other may ask again for what that was. */
export function stillRunning(): ApiError {
  const message = "another request with this Idempotency-Key was made at the same time";
  return new ApiError(409, message, { code: "conflict", headers: { "Retry-After": "1" } });
}

export function rememberResult(ctx: Ctx, resourceId: string): Statement[] {
  return ctx.idempotency
    ? [insertIdempotencyKey(ctx.db, { ...ctx.idempotency, resource_id: resourceId, created_at: ctx.now })]
    : [];
}

/** Forgets keys whose time has passed. */
export async function sweepIdempotencyKeys(deps: Deps): Promise<void> {
  await runBatch(deps.db, [deleteIdempotencyKeysBefore(deps.db, deps.now() - KEPT_MS)]);
}
