import { forbidden, notFound } from "../contract/errors.ts";
import { findSlaPolicy, listMembershipsNearPolicy, type SlaPolicyRecord } from "../data/sla/read.ts";
import { hasPermission, type Membership, OWNERSHIP } from "../domain/roles.ts";
import { once } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

interface AccessiblePolicy {
  policy: SlaPolicyRecord;
  memberships: Membership[];
}

/**
 * A policy belongs to the account that made it. Whoever is on a page of that account, or on one that is measured by the
 * policy, sees it there.
 */
function requireVisiblePolicy(ctx: RequestScope, policyId: string): Promise<AccessiblePolicy> {
  return once(ctx, `sla policy ${policyId}`, async () => {
    const policy = await findSlaPolicy(ctx.db, policyId);
    if (ctx.principal.kind !== "user" || !policy) throw notFound("SLA policy");
    const { user_id } = ctx.principal;
    const isOwn = policy.owner_id === user_id;
    const memberships = isOwn ? [OWNERSHIP] : await listMembershipsNearPolicy(ctx.db, policy, user_id);
    if (memberships.length === 0) throw notFound("SLA policy");
    return { policy, memberships };
  });
}

/** For whoever has this endpoint's right on such a page. */
export async function requireSlaPolicy(ctx: RequestScope, policyId: string): Promise<SlaPolicyRecord> {
  const { policy, memberships } = await requireVisiblePolicy(ctx, policyId);
  if (memberships.some((membership) => hasPermission(membership, ctx.permission))) return policy;
  throw forbidden(`this needs ${ctx.permission} on a status page of the policy's owner`);
}

/** What a policy says is its account's to decide, because it may hold for other pages, too. */
export async function requireOwnSlaPolicy(ctx: RequestScope, policyId: string): Promise<SlaPolicyRecord> {
  const { policy, memberships } = await requireVisiblePolicy(ctx, policyId);
  if (memberships.includes(OWNERSHIP)) return policy;
  throw forbidden("the policy belongs to another account");
}
