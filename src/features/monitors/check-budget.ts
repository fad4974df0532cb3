import { openSecrets } from "../../access/monitor-secrets.ts";
import { isWithinRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import type { Plan } from "../../contract/plan.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { checkedHosts } from "./target.ts";

interface Checked {
  type: MonitorType;
  target: string | null;
  options: unknown;
}

/** Counts each request of a check that a person asks for against the host that it reaches, across all users. */
export async function requireHostBudget(ctx: RequestScope, checked: Checked, plan: Plan): Promise<void> {
  if (!isCounted(ctx, plan)) return;
  for (const host of hostsOf(checked)) await requireRate(ctx, "check_host", host);
}

/** The same for a stored monitor. */
export async function requireMonitorBudget(ctx: RequestScope, monitor: MonitorRecord, plan: Plan): Promise<void> {
  if (isCounted(ctx, plan)) await requireHostBudget(ctx, await openMonitor(ctx, monitor), plan);
}

/** The same for a check that a change causes: without budget it is left to the schedule. */
export async function hasMonitorBudget(ctx: RequestScope, monitor: MonitorRecord, plan: Plan): Promise<boolean> {
  if (!isCounted(ctx, plan)) return true;
  for (const host of hostsOf(await openMonitor(ctx, monitor))) {
    if (!(await isWithinRate(ctx, "check_host", host))) return false;
  }
  return true;
}

/** Operators know what they check: their own plan has this limit only where they set it. */
function isCounted({ settings }: RequestScope, plan: Plan): boolean {
  return plan !== "self_hosted" || settings.RATE_LIMITS.check_host !== undefined;
}

/** With the steps, which are among its secrets. */
async function openMonitor({ settings }: RequestScope, monitor: MonitorRecord): Promise<Checked> {
  const { target, fields } = await openSecrets(settings, monitor);
  return { type: monitor.type, target: monitor.target === null ? null : target, options: fields };
}

function hostsOf({ type, target, options }: Checked): string[] {
  return target === null ? [] : checkedHosts(type, target, options);
}
