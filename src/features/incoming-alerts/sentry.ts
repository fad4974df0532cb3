import { toPrincipal } from "../../access/owners.ts";
import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { unauthenticated } from "../../contract/errors.ts";
import type { ReceivedAlert } from "../../contract/incoming-alert.ts";
import { findSecret } from "../../data/secrets/read.ts";
import { findPage } from "../../data/status-pages/read.ts";
import { findUser } from "../../data/users/read.ts";
import type { IncomingAlert } from "../../domain/incoming-alerts.ts";
import { isSignedBySentry } from "../../platform/chat-signatures.ts";
import { unseal } from "../../platform/seal.ts";
import { receiveAlert } from "./service.ts";

/** Sentry sends no token of ours: its signature by a stored secret of the page's owner is the credential. */

interface Signed {
  page_id: string;
  secret_name: string;
  signature: string;
  body: Uint8Array;
}

/**
 * The same scope in the name of the page's owner, who may do nothing in it but report alerts of this page. A page, a secret
 * or an owner that does not exist is refused like a wrong signature.
 */
export async function requireSentry(
  ctx: RequestScope,
  { page_id, secret_name, ...signed }: Signed,
): Promise<RequestScope> {
  const page = await findPage(ctx.db, page_id);
  const secret = page && (await findSecret(ctx.db, { owner_id: page.owner_id, key: secret_name }));
  const value = secret && (await unseal(ctx.settings.ROOT_SECRET, secret.id, secret.sealed));
  const owner = secret && (await findUser(ctx.db, secret.owner_id));
  const isSigned = typeof value === "string" && isSignedBySentry(value, signed);
  if (!secret || !owner || owner.deactivated_at !== null || !isSigned) {
    await requireRate(ctx, "bad_credential");
    throw unauthenticated();
  }
  await requireRate(ctx, "emit", page_id);
  const token_limits = { scopes: ["incidents.write" as const], page_ids: [page_id] };
  const principal = toPrincipal(owner, { token_id: secret.id, session_id: null, token_limits }, ctx.settings);
  return { ...ctx, principal, permission: "incidents.write", loaded: new Map(), bodyBytes: signed.body.byteLength };
}

/** What is no alert changes nothing. */
export async function receiveFromSentry(
  ctx: RequestScope,
  pageId: string,
  alert: IncomingAlert | null,
): Promise<ReceivedAlert> {
  return alert === null ? { incident_id: null, is_open: false } : receiveAlert(ctx, pageId, alert);
}
