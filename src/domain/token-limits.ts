import type { TokenScope } from "../contract/token.ts";
import { hasPermission, type Membership, type Permission } from "./roles.ts";

/** What an API token may do less than its user; null where it may as much. */
export interface TokenLimits {
  scopes: readonly TokenScope[] | null;
  page_ids: readonly string[] | null;
}

/**
 * What an endpoint asks of a limited token: a permission, to be `whole` (no limits at all), or to see the `account` (not
 * limited to pages).
 */
export type TokenNeed = Permission | "account" | "whole";

/** Why a limited token does not reach an endpoint; null where it does. Each scope includes reading. */
export function refusalOfToken({ scopes, page_ids }: TokenLimits, need: TokenNeed): string | null {
  if (need === "whole") return "this needs an API token without limits";
  if (need === "account") return page_ids && "this API token is limited to status pages";
  if (scopes === null || need === "page.read" || scopes.some((scope) => scope === need)) return null;
  return `the scopes of this API token do not include ${need}`;
}

/** Whether a token reaches what is on this page, or on none. */
export function reachesPage(limits: TokenLimits | null, pageId: string | null): boolean {
  return limits?.page_ids == null || (pageId !== null && limits.page_ids.includes(pageId));
}

/** A membership as far as the token may use it. */
export function limitMembership(limits: TokenLimits | null, membership: Membership): Membership {
  if (limits?.scopes == null) return membership;
  const capabilities = limits.scopes.filter((scope) => scope !== "read");
  return { role: "custom", capabilities: capabilities.filter((capability) => hasPermission(membership, capability)) };
}
