import { claimKey, runOnce } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { dryRunCheck } from "../../checks/manual-check.ts";
import { ManualCheckResult } from "../../contract/check.ts";
import { invalid } from "../../contract/errors.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import { requireHostBudget } from "./check-budget.ts";
import { rejectSecretPlaceholders } from "./create.ts";
import { draftMonitor } from "./validate.ts";

/** Checks what a body describes, once and from here, without saving it. The body has to be one that could be saved. */
export async function dryRunMonitor(ctx: RequestScope, input: MonitorCreate): Promise<ManualCheckResult> {
  const page = input.status_page_id ? await requirePage(ctx, input.status_page_id) : null;
  const owner = await getOwner(ctx, page?.owner_id ?? requireUser(ctx).user_id);
  rejectSecretPlaceholders(input);
  const around = { plan: owner.plan, owner_id: owner.user_id, page, current: null };
  const { columns, options, isScheduled } = await draftMonitor(ctx, input, around);
  if (!isScheduled)
    throw invalid(`a ${input.type} monitor cannot be tested, because the service does not run its checks`);
  const { timeout_seconds, latency_threshold_ms } = columns;
  const job = { target: columns.target ?? "", fields: options, timeout_seconds, latency_threshold_ms };
  return runOnce(ctx, (stored) => ManualCheckResult.parse(stored), {
    claim: async () => {
      await requireHostBudget(ctx, { type: input.type, target: columns.target, options }, owner.plan);
      await claimKey(ctx, null);
    },
    run: () => dryRunCheck(ctx, input.type, job),
  });
}
