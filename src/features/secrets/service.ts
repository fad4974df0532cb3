import type { AuditSubject } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { type ApiError, inUse, notFound, raced } from "../../contract/errors.ts";
import type { SecretCreate } from "../../contract/secret.ts";
import { hasSecrets } from "../../data/plan-caps/read.ts";
import {
  findSecret,
  isSecretUsed,
  listSecrets,
  listSecretUses,
  type SecretRecord,
  type SecretUse,
} from "../../data/secrets/read.ts";
import { deleteSecret, insertSecret, replaceSecretValue } from "../../data/secrets/write.ts";
import { newId } from "../../platform/ids.ts";
import { seal } from "../../platform/seal.ts";

/**
 * Secrets belong to an account. Choice: members of its pages neither list nor change them, because one value may serve
 * monitors of several pages, on each of which other people have rights.
 */
export interface ShownSecret {
  secret: SecretRecord;
  monitors: readonly SecretUse[];
}

export async function listMySecrets(ctx: RequestScope, page: { limit: number; offset: number }) {
  const { user_id } = requireUser(ctx);
  const { rows, total } = await listSecrets(ctx.db, user_id, page);
  const uses = await listSecretUses(
    ctx.db,
    user_id,
    rows.map(({ name }) => name),
  );
  const bySecret = Map.groupBy(uses, ({ secret }) => secret);
  return { rows: rows.map((secret) => ({ secret, monitors: bySecret.get(secret.name) ?? [] })), total };
}

/** A secret of the same name gets the new value, which the next check of its monitors sends. */
export async function saveSecret(
  ctx: RequestScope,
  { name, value }: SecretCreate,
): Promise<ShownSecret & { isNew: boolean }> {
  const { user_id: owner_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return { ...(await show(ctx, await getMySecret(ctx, earlier))), isNew: true };
  const stored = await findSecret(ctx.db, { owner_id, key: name });
  const id = stored?.id ?? newId();
  const secret: SecretRecord = {
    id,
    owner_id,
    name,
    sealed: await seal(ctx.settings.ROOT_SECRET, id, value),
    created_at: stored?.created_at ?? ctx.now,
    updated_at: ctx.now,
  };
  if (stored) {
    await commit(ctx, [replaceSecretValue(ctx.db, secret)], { audit: secretAudit(secret, "replaced") });
  } else {
    await commit(ctx, [insertSecret(ctx.db, secret)], {
      audit: secretAudit(secret, "added"),
      guards: await capGuard(ctx, { cap: "secrets", owner_id, isReached: hasSecrets(owner_id) }),
      conflicts: { "secrets.name": raced("the secret was added by another request, try again") },
    });
  }
  return { ...(await show(ctx, secret)), isNew: !stored };
}

export async function removeSecret(ctx: RequestScope, key: string): Promise<void> {
  const secret = await getMySecret(ctx, key);
  const { monitors } = await show(ctx, secret);
  if (monitors.length > 0) throw usedBy(monitors);
  await commit(ctx, [deleteSecret(ctx.db, secret)], {
    audit: secretAudit(secret, "deleted"),
    guards: [{ name: "stale", when: isSecretUsed(secret), error: usedBy([]) }],
  });
}

function usedBy(monitors: readonly SecretUse[]): ApiError {
  const names = monitors.map(({ name }) => `"${name}"`).join(", ");
  return inUse(
    names === "" ? "the secret is used by a monitor" : `the secret is used by ${names}`,
    monitors.map(({ id, name }) => ({ path: `monitors.${id}`, message: name })),
  );
}

/** By name or id; those of other accounts do not exist. */
export async function getMySecret(ctx: RequestScope, key: string): Promise<SecretRecord> {
  const secret = await findSecret(ctx.db, { owner_id: requireUser(ctx).user_id, key });
  if (!secret) throw notFound("secret");
  return secret;
}

async function show(ctx: RequestScope, secret: SecretRecord): Promise<ShownSecret> {
  return { secret, monitors: await listSecretUses(ctx.db, secret.owner_id, [secret.name]) };
}

function secretAudit(secret: SecretRecord, verb: string): AuditSubject {
  return {
    owner_id: secret.owner_id,
    target_type: "secret",
    target_id: secret.id,
    summary: `${verb} secret "${secret.name}"`,
  };
}
