import { ApiError, forbidden, notFound, raced } from "../contract/errors.ts";
import { findPagesFor, isMemberAnywhere, type Viewer } from "../data/members/read.ts";
import { isPageChanged, type StatusPageRecord } from "../data/status-pages/read.ts";
import { hasPermission, type Membership, OWNERSHIP, type Permission } from "../domain/roles.ts";
import { limitMembership, reachesPage } from "../domain/token-limits.ts";
import type { Guard } from "./audited-write.ts";
import { requireUser } from "./principal.ts";
import type { RequestScope } from "./scope.ts";

export interface AccessiblePage {
  page: StatusPageRecord;
  membership: Membership;
}

/** The page if it is visible to the caller. Only `judgePages` determines the caller's membership of a page. */
export function findVisiblePage(ctx: RequestScope, pageId: string): Promise<AccessiblePage | undefined> {
  return once(ctx, keyOf(pageId), async () => (await judgePages(ctx, [pageId])).get(pageId));
}

const keyOf = (pageId: string) => `page ${pageId}`;

async function judgePages(ctx: RequestScope, pageIds: readonly string[]): Promise<Map<string, AccessiblePage>> {
  if (ctx.principal.kind !== "user") return new Map();
  const { user_id, token_limits } = ctx.principal;
  const reached = pageIds.filter((id) => reachesPage(token_limits, id));
  const found = reached.length === 0 ? [] : await findPagesFor(ctx.db, reached, user_id);
  return new Map(
    found.flatMap(({ page, member }) => {
      const membership = page.owner_id === user_id ? OWNERSHIP : member;
      return membership ? [[page.id, { page, membership: limitMembership(token_limits, membership) }]] : [];
    }),
  );
}

/** What the caller is to an object that may be on a page: members see it there, without a page only its owner does. */
export async function findMembership(
  ctx: RequestScope,
  object: { owner_id: string; status_page_id: string | null },
): Promise<Membership | undefined> {
  if (ctx.principal.kind !== "user") return undefined;
  const { user_id, token_limits } = ctx.principal;
  if (!reachesPage(token_limits, object.status_page_id)) return undefined;
  if (object.owner_id === user_id) return limitMembership(token_limits, OWNERSHIP);
  if (object.status_page_id === null) return undefined;
  return (await findVisiblePage(ctx, object.status_page_id))?.membership;
}

/** The caller as lists see them. */
export async function viewerOf(ctx: RequestScope): Promise<Viewer> {
  const { user_id, is_member, token_limits } = requireUser(ctx);
  const page_ids = token_limits?.page_ids ?? null;
  return { user_id, is_member: is_member ?? (await isMemberAnywhere(ctx.db, user_id)), page_ids };
}

/** Outsiders get the same 404 as for nothing. */
export async function requireVisiblePage(ctx: RequestScope, pageId: string): Promise<AccessiblePage> {
  const found = await findVisiblePage(ctx, pageId);
  if (!found) throw notFound("status page");
  return found;
}

/** All of these, judged in one query. */
export async function requireVisiblePages(ctx: RequestScope, pageIds: readonly string[]): Promise<AccessiblePage[]> {
  await judgeAhead(ctx, pageIds);
  return Promise.all(pageIds.map((id) => requireVisiblePage(ctx, id)));
}

/** Judges them in one query, so that none of them is asked for by itself later. */
export async function judgeAhead(ctx: RequestScope, pageIds: readonly string[]): Promise<void> {
  const unknown = [...new Set(pageIds)].filter((id) => !ctx.loaded.has(keyOf(id)));
  const judged = judgePages(ctx, unknown);
  await Promise.all(unknown.map((id) => once(ctx, keyOf(id), async () => (await judged).get(id))));
}

/** The page when the caller has this endpoint's right on it; members without it get 403. */
export async function requirePage(ctx: RequestScope, pageId: string): Promise<StatusPageRecord> {
  const { page, membership } = await requireVisiblePage(ctx, pageId);
  requirePermission([membership], ctx.permission);
  return page;
}

/** For a write that merges into settings that were read. */
export function pageGuard(page: StatusPageRecord): Guard {
  const error = raced("the status page was changed by another request, reload it and try again");
  return { name: "stale", when: isPageChanged(page), error };
}

/** The same for endpoints that answer 403 whether the page exists or not, so that neither leaks. */
export async function requireManagedPage(ctx: RequestScope, pageId: string): Promise<StatusPageRecord> {
  try {
    return await requirePage(ctx, pageId);
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 403)) throw error;
    throw forbidden(`this needs ${ctx.permission} on the status page`);
  }
}

export function requirePermission(memberships: readonly Membership[], permission: Permission): void {
  if (memberships.some((membership) => hasPermission(membership, permission))) return;
  throw forbidden(`your role on this status page does not include ${permission}`);
}

/** Loads and judges an object once per request. */
export function once<Found>(ctx: RequestScope, key: string, load: () => Promise<Found>): Promise<Found> {
  const known = ctx.loaded.get(key);
  // Keys carry the kind of the object, so what stands under one always has that kind's type.
  if (known) return known as Promise<Found>;
  const loading = load();
  ctx.loaded.set(key, loading);
  return loading;
}
