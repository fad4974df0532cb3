import { commit } from "../../access/commit.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { requireRate } from "../../access/rate-limit.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, notFound } from "../../contract/errors.ts";
import { findAliasedMonitor } from "../../data/push-aliases/read.ts";
import { deletePushAliases, insertPushAlias } from "../../data/push-aliases/write.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
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

/** The credential of the monitor that has this one; guesses are slowed down like wrong tokens. */
export async function findAliasedCredential(ctx: RequestScope, token: string): Promise<PushCredential | undefined> {
  const found = await findAliasedMonitor(ctx.db, sha256Hex(token));
  if (!found) await requireRate(ctx, "bad_credential");
  return found;
}
