import { commit } from "../../access/commit.ts";
import type { Ctx } from "../../access/ctx.ts";
import { findEarlierResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import { requireSlaPolicy } from "../../access/sla-policies.ts";
import type { SlaPolicyCreate, SlaPolicyUpdate } from "../../contract/sla.ts";
import {
  deleteSlaPolicy,
  insertSlaPolicy,
  listSlaPolicies,
  type SlaPolicyRecord,
  updateSlaPolicy,
} from "../../data/sla.ts";
import { newId } from "../../platform/ids.ts";

/** What an absent or null member gives. */
const DEFAULTS = { period: "monthly", exclude_maintenance: true, degraded_counts_as_downtime: false } as const;

export function listPolicies(ctx: Ctx, page: { limit: number; offset: number }) {
  return listSlaPolicies(ctx.db, requireUser(ctx).user_id, page);
}

export async function createPolicy(ctx: Ctx, input: SlaPolicyCreate): Promise<SlaPolicyRecord> {
  const earlier = await findEarlierResult(ctx);
  if (earlier) return requireSlaPolicy(ctx, earlier);
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

export async function changePolicy(ctx: Ctx, policyId: string, input: SlaPolicyUpdate): Promise<SlaPolicyRecord> {
  const stored = await requireSlaPolicy(ctx, policyId);
  const kept = <Value>(given: Value | null | undefined, current: Value, fallback: Value): Value =>
    given === undefined ? current : (given ?? fallback);
  const policy: SlaPolicyRecord = {
    ...stored,
    name: input.name ?? stored.name,
    target_percentage: input.target_percentage ?? stored.target_percentage,
    period: kept(input.period, stored.period, DEFAULTS.period),
    exclude_maintenance: kept(input.exclude_maintenance, stored.exclude_maintenance, DEFAULTS.exclude_maintenance),
    degraded_counts_as_downtime: kept(
      input.degraded_counts_as_downtime,
      stored.degraded_counts_as_downtime,
      DEFAULTS.degraded_counts_as_downtime,
    ),
    updated_at: ctx.now,
  };
  await commit(ctx, [updateSlaPolicy(ctx.db, policy)], { audit: policyAudit(policy, "changed") });
  return policy;
}

export async function removePolicy(ctx: Ctx, policyId: string): Promise<void> {
  const policy = await requireSlaPolicy(ctx, policyId);
  await commit(ctx, [deleteSlaPolicy(ctx.db, policy)], { audit: policyAudit(policy, "deleted") });
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
