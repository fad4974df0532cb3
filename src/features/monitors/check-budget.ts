import { isWithinRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import type { Plan } from "../../contract/plan.ts";
import { checkedHost } from "./target.ts";

interface Checked {
  type: MonitorType;
  target: string | null;
  options: unknown;
}

/** Counts a check that a person asks for against the host that it reaches, whoever asks. */
export async function requireHostBudget(ctx: RequestScope, checked: Checked, plan: Plan): Promise<void> {
  const host = countedHost(ctx, checked, plan);
  if (host !== null) await requireRate(ctx, "check_host", host);
}

/** The same for a check that a change causes: without budget it is left to the schedule. */
export async function hasHostBudget(ctx: RequestScope, checked: Checked, plan: Plan): Promise<boolean> {
  const host = countedHost(ctx, checked, plan);
  return host === null || isWithinRate(ctx, "check_host", host);
}

/** Operators know what they check: their own plan has this limit only where they set it. */
function countedHost({ settings }: RequestScope, { type, target, options }: Checked, plan: Plan): string | null {
  const isCounted = plan !== "self_hosted" || settings.RATE_LIMITS.check_host !== undefined;
  return isCounted && target !== null ? checkedHost(type, target, options) : null;
}
