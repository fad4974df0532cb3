import { forbidden, notFound } from "../contract/errors.ts";
import { findPage, type StatusPageRecord } from "../data/status-pages.ts";
import { hasRight, type Membership, OWNERSHIP, type Right } from "../domain/roles.ts";
import type { Ctx } from "./ctx.ts";

export interface AccessiblePage {
  page: StatusPageRecord;
  membership: Membership;
}

/** The page when the caller may see it. */
export function findVisiblePage(ctx: Ctx, pageId: string): Promise<AccessiblePage | undefined> {
  return once(ctx, `page ${pageId}`, async () => {
    const page = await findPage(ctx.db, pageId);
    const membership = page && membershipOf(ctx, page);
    return page && membership && { page, membership };
  });
}

/** Outsiders get the same 404 as for nothing. */
export async function requireVisiblePage(ctx: Ctx, pageId: string): Promise<AccessiblePage> {
  const found = await findVisiblePage(ctx, pageId);
  if (!found) throw notFound("status page");
  return found;
}

/** The page when the caller has this endpoint's right on it; members without it get 403. */
export async function requirePage(ctx: Ctx, pageId: string): Promise<StatusPageRecord> {
  const { page, membership } = await requireVisiblePage(ctx, pageId);
  requireRight(membership, ctx.right);
  return page;
}

export function requireRight(membership: Membership, right: Right): void {
  if (!hasRight(membership, right)) throw forbidden(`your role on this status page does not include ${right}`);
}

function membershipOf(ctx: Ctx, page: StatusPageRecord): Membership | undefined {
  return ctx.principal.kind === "user" && page.owner_id === ctx.principal.user_id ? OWNERSHIP : undefined;
}

/** Loads and judges an object once per request. */
export function once<Found>(ctx: Ctx, key: string, load: () => Promise<Found>): Promise<Found> {
  const known = ctx.loaded.get(key);
  // Keys carry the kind of the object, so what stands under one always has that kind's type.
  if (known) return known as Promise<Found>;
  const loading = load();
  ctx.loaded.set(key, loading);
  return loading;
}
