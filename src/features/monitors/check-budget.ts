import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError } from "../../contract/errors.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import type { Plan } from "../../contract/plan.ts";
import { checkedHost } from "./target.ts";

interface Checked {
  type: MonitorType;
  target: string | null;
  options: unknown;
}

/**
 * Counts a check that a person asks for against the host that it reaches, whoever asks. Operators of their own service
 * know what they check, so their plan has this limit only where they set it.
 */
export async function requireHostBudget(
  ctx: RequestScope,
  { type, target, options }: Checked,
  plan: Plan,
): Promise<void> {
  const isCounted = plan !== "self_hosted" || ctx.settings.RATE_LIMITS.check_host !== undefined;
  if (isCounted && target !== null) await requireRate(ctx, "check_host", checkedHost(type, target, options));
}

/** The same for a check that a change causes: without budget it is left to the schedule. */
export async function hasHostBudget(ctx: RequestScope, checked: Checked, plan: Plan): Promise<boolean> {
  try {
    await requireHostBudget(ctx, checked, plan);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return false;
    throw error;
  }
}
