import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireOwnSlaPolicy } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { SlaPolicyCreate, SlaPolicyUpdate } from "../../contract/sla.ts";
import { listSlaPolicies, type SlaPolicyRecord } from "../../data/sla/read.ts";
import { deleteSlaPolicy, insertFormerPolicy, insertSlaPolicy, updateSlaPolicy } from "../../data/sla/write.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { newId } from "../../platform/ids.ts";

/** What an absent or null member gives. */
const DEFAULTS = { period: "monthly", exclude_maintenance: true, degraded_counts_as_downtime: false } as const;

/** The caller's own, or those that can be chosen for a page that they manage. */
export async function listPolicies(
  ctx: RequestScope,
  { status_page_id, ...page }: { status_page_id?: string; limit: number; offset: number },
) {
  if (status_page_id === undefined) return listSlaPolicies(ctx.db, { owner_id: requireUser(ctx).user_id }, page);
  const { owner_id } = await requirePage(ctx, status_page_id);
  return listSlaPolicies(ctx.db, { owner_id, status_page_id }, page);
}

export async function createPolicy(ctx: RequestScope, input: SlaPolicyCreate): Promise<SlaPolicyRecord> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return requireOwnSlaPolicy(ctx, earlier);
  const { user_id } = requireUser(ctx);
  const policy: SlaPolicyRecord = {
    id: newId(ctx.now),
    owner_id: user_id,
    created_by: user_id,
    name: input.name,
    target_percentage: input.target_percentage,
    period: input.period ?? DEFAULTS.period,
    exclude_maintenance: input.exclude_maintenance ?? DEFAULTS.exclude_maintenance,
    degraded_counts_as_downtime: input.degraded_counts_as_downtime ?? DEFAULTS.degraded_counts_as_downtime,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [insertSlaPolicy(ctx.db, policy)], { audit: policyAudit(policy, "created") });
  return policy;
}

export async function changePolicy(
  ctx: RequestScope,
  policyId: string,
  input: SlaPolicyUpdate,
): Promise<SlaPolicyRecord> {
  const stored = await requireOwnSlaPolicy(ctx, policyId);
  const policy: SlaPolicyRecord = {
    ...stored,
    name: input.name ?? stored.name,
    target_percentage: input.target_percentage ?? stored.target_percentage,
    period: replaced(input.period, stored.period, DEFAULTS.period),
    exclude_maintenance: replaced(input.exclude_maintenance, stored.exclude_maintenance, DEFAULTS.exclude_maintenance),
    degraded_counts_as_downtime: replaced(
      input.degraded_counts_as_downtime,
      stored.degraded_counts_as_downtime,
      DEFAULTS.degraded_counts_as_downtime,
    ),
    updated_at: ctx.now,
  };
  const { id, owner_id } = policy;
  const change = { ...changedMembers(stored, policy), id, owner_id, updated_at: ctx.now };
  await commit(ctx, [insertFormerPolicy(ctx.db, stored, ctx.now), updateSlaPolicy(ctx.db, change)], {
    audit: policyAudit(policy, "changed"),
  });
  return policy;
}

export async function removePolicy(ctx: RequestScope, policyId: string): Promise<void> {
  const policy = await requireOwnSlaPolicy(ctx, policyId);
  await commit(ctx, [insertFormerPolicy(ctx.db, policy, ctx.now), deleteSlaPolicy(ctx.db, policy)], {
    audit: policyAudit(policy, "deleted"),
  });
}

function policyAudit(policy: SlaPolicyRecord, verb: string) {
  const { target_percentage, period, exclude_maintenance, degraded_counts_as_downtime } = policy;
  return {
    owner_id: policy.owner_id,
    target_type: "sla_policy",
    target_id: policy.id,
    summary: `${verb} SLA policy "${policy.name}"`,
    data: { target_percentage, period, exclude_maintenance, degraded_counts_as_downtime },
  };
}
