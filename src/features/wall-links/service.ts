import type { AuditSubject } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, notFound } from "../../contract/errors.ts";
import { WALL_LINKS_MAX, type WallLinkCreate } from "../../contract/wall-link.ts";
import { findWallLink, hasWallLinks, listWallLinks, type WallLinkRecord } from "../../data/wall-links/read.ts";
import { deleteWallLink, insertWallLink, touchWallLink } from "../../data/wall-links/write.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { isWellFormedMachineToken, newMachineToken, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";

export function listMyWallLinks(ctx: RequestScope): Promise<WallLinkRecord[]> {
  return listWallLinks(ctx.db, requireUser(ctx).user_id, WALL_LINKS_MAX);
}

export async function createWallLink(
  ctx: RequestScope,
  { name }: WallLinkCreate,
): Promise<{ link: WallLinkRecord; url: string }> {
  const { user_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const token = newMachineToken("wall");
  const link: WallLinkRecord = {
    id: newId(ctx.now),
    user_id,
    name,
    token_hash: sha256Hex(token),
    last_shown_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const error = conflict(`an account has at most ${WALL_LINKS_MAX} links of wall displays: revoke one first`);
  await commit(ctx, [insertWallLink(ctx.db, link)], {
    audit: auditOf(link, "created"),
    guards: [{ name: "stale", when: hasWallLinks(user_id, WALL_LINKS_MAX), error }],
  });
  return { link, url: `${ctx.publicUrl}/app/wall/${token}` };
}

/** Screens that show it find out within a minute. */
export async function revokeWallLink(ctx: RequestScope, id: string): Promise<void> {
  const link = (await listMyWallLinks(ctx)).find((each) => each.id === id);
  if (!link) throw notFound("link of a wall display");
  await commit(ctx, [deleteWallLink(ctx.db, link)], { audit: auditOf(link, "revoked") });
}

function auditOf({ id, user_id, name }: WallLinkRecord, verb: "created" | "revoked"): AuditSubject {
  return {
    owner_id: user_id,
    target_type: "wall_link",
    target_id: id,
    summary: `${verb} the link of wall display "${name}"`,
  };
}

/**
 * The address is the credential: who has it reads what its maker sees now, and may do nothing. What only operators see, it
 * does not show.
 */
export async function openWallLink(
  ctx: RequestScope,
  token: string,
): Promise<{ ctx: RequestScope; link: WallLinkRecord }> {
  const found = isWellFormedMachineToken("wall", token) ? await findWallLink(ctx.db, sha256Hex(token)) : undefined;
  if (!found) throw notFound("wall display");
  const { link, user } = found;
  if (link.last_shown_at === null || ctx.now - link.last_shown_at >= HOUR_MS) {
    ctx.defer(touchWallLink(ctx.db, link.id, ctx.now));
  }
  const credential = { token_id: null, session_id: null, token_limits: { scopes: ["read" as const], page_ids: null } };
  const principal = { ...toPrincipal(user, credential, ctx.settings), is_operator: false };
  return { ctx: { ...ctx, principal }, link };
}
