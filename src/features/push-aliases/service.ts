import { commit } from "../../access/commit.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { requireRate } from "../../access/rate-limit.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, conflict, notFound } from "../../contract/errors.ts";
import type { HeartbeatBody } from "../../contract/push.ts";
import { findAliasedMonitor } from "../../data/push-aliases/read.ts";
import { deletePushAliases, insertPushAlias } from "../../data/push-aliases/write.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { type PushCredential, readPushToken } from "../../platform/push-tokens.ts";
import { acceptPush } from "../push/accept.ts";
import { toHeartbeat } from "../push/heartbeat-input.ts";
import { pushEntryOf } from "../push/service.ts";

/**
 * Credentials that another tool gave to senders of heartbeats, so that they keep sending when its name leads here. Only
 * hashes are stored; each costs an indexed read, where a credential of this service costs none.
 */

/** Gives the monitor this one, in place of the one that it had; null: none. */
export async function setPushAlias(ctx: RequestScope, monitorId: string, token: string | null): Promise<void> {
  const monitor = await requireMonitor(ctx, monitorId);
  if (pushEntryOf(monitor)?.kind !== "heartbeat") throw notFound("heartbeat monitor");
  const alias = token === null ? null : { token_hash: sha256Hex(token), monitor_id: monitorId, created_at: ctx.now };
  await commit(
    ctx,
    [deletePushAliases(ctx.db, monitorId), ...(alias === null ? [] : [insertPushAlias(ctx.db, alias)])],
    {
      audit: monitorAudit(monitor, "set the imported push credential of"),
      conflicts: { "push_aliases.token_hash": conflict("token is in use by another monitor") },
    },
  );
}

/** Of this service, or one that another tool had given out. */
export async function findForeignCredential(ctx: RequestScope, token: string): Promise<PushCredential | undefined> {
  const own = readPushToken(ctx.settings.ROOT_SECRET, "beat", token);
  return own ?? (isForeign(token) ? findAliasedMonitor(ctx.db, sha256Hex(token)) : undefined);
}

/** Releases before took shorter ones than are set today, which go on working. */
const isForeign = (token: string) => /^(?!hb_|pk_)[\w.:/-]{8,300}$/.test(token);

/** Guesses at what other tools gave out are slowed down like wrong tokens. */
export async function countGuess(ctx: RequestScope, token: string): Promise<void> {
  if (isForeign(token)) await requireRate(ctx, "bad_credential");
}

/** False where the monitor does not know the credential any more. */
export async function acceptForeign(
  ctx: RequestScope,
  credential: PushCredential,
  input: HeartbeatBody,
): Promise<boolean> {
  try {
    await acceptPush(ctx, credential, { kind: "heartbeat", beat: toHeartbeat(input) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}
