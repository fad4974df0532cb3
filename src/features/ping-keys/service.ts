import { commit } from "../../access/commit.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, forbidden } from "../../contract/errors.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import { PING_KEY } from "../../contract/ping-key.ts";
import { findPinged } from "../../data/ping-keys/read.ts";
import { deletePingKey, savePingKey } from "../../data/ping-keys/write.ts";
import { findUser } from "../../data/users/read.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { newPingKey, sha256Hex } from "../../platform/credentials.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
import { createMonitor } from "../monitors/create.ts";
import { gateCreation } from "../monitors/plan-gate.ts";

/** Gives the page this key in place of the one that it has; undefined: a new one, null: none. Returns the key. */
export async function setPingKey(
  ctx: RequestScope,
  pageId: string,
  wanted: string | null | undefined,
): Promise<string | null> {
  const page = await requirePage(ctx, pageId);
  const key = wanted === undefined ? newPingKey() : wanted;
  const statement =
    key === null
      ? deletePingKey(ctx.db, page.id)
      : savePingKey(ctx.db, {
          status_page_id: page.id,
          key_hash: sha256Hex(key),
          created_by: requireUser(ctx).user_id,
          created_at: ctx.now,
        });
  await commit(ctx, [statement], {
    audit: {
      owner_id: page.owner_id,
      target_type: "status_page",
      target_id: page.id,
      status_page_id: page.id,
      summary: `${key === null ? "removed" : "replaced"} the ping key of "${page.name}"`,
    },
    conflicts: { "ping_keys.key_hash": conflict("key is in use by another status page") },
  });
  return key;
}

export interface PingKeyHolder {
  status_page_id: string;
  created_by: string;
  /** Null: the page has no heartbeat monitor of that name. */
  credential: PushCredential | null;
}

/** Undefined for what is no page's key, and where the name is that of another kind of monitor. */
export async function findPingKey(ctx: RequestScope, key: string, slug: string): Promise<PingKeyHolder | undefined> {
  const found = PING_KEY.test(key) ? await findPinged(ctx.db, sha256Hex(key), slug) : undefined;
  if (!found || (found.monitor && found.monitor.type !== "heartbeat")) return undefined;
  const { monitor, status_page_id, created_by } = found;
  if (!monitor) return { status_page_id, created_by, credential: null };
  const { monitor_id, credential_version, credential_key } = monitor;
  return { status_page_id, created_by, credential: { monitor_id, credential_version, credential_key } };
}

/** As Healthchecks makes a check of which it knows no more than the name. */
const RHYTHM = { expected_interval: DAY_MS / 1000, grace_seconds: HOUR_MS / 1000 };

/** Makes the heartbeat monitor that a ping names, by the present rights of the person who made the key. */
export async function createPinged(
  ctx: RequestScope,
  { status_page_id, created_by }: PingKeyHolder,
  slug: string,
): Promise<PushCredential> {
  const maker = await findUser(ctx.db, created_by);
  if (!maker || maker.deactivated_at !== null) throw forbidden("nobody has the rights that this key was made with");
  const principal = toPrincipal(maker, { token_id: null, session_id: null }, ctx.settings);
  const scope: RequestScope = {
    ...ctx,
    principal,
    permission: "monitors.write",
    auditEvent: "monitor.created",
    loaded: new Map(),
    idempotency: null,
  };
  const input = {
    name: slug,
    type: "heartbeat",
    status_page_id,
    external_key: slug,
    ...RHYTHM,
  } satisfies MonitorCreate;
  await requireRate(scope, "push_alias");
  await gateCreation(scope, input);
  const { record } = await createMonitor(scope, input);
  const { id: monitor_id, credential_version, credential_key } = record;
  return { monitor_id, credential_version, credential_key };
}
