import { getOwnerPlan } from "../../access/owners.ts";
import type { RequestScope } from "../../access/scope.ts";
import { enqueueChecks } from "../../checks/enqueue.ts";
import { buildProjection, syncMonitor } from "../../checks/projection.ts";
import { emptyObjects } from "../../checks/reconcile.ts";
import { agentsOf } from "../../contract/location.ts";
import type { MonitorSnapshot } from "../../contract/monitor-object.ts";
import { monitorOf, readMonitor } from "../../data/check-groups/write.ts";
import { runBatch } from "../../data/db.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { answerInTime } from "../../platform/object-timeout.ts";
import { monitorType } from "../../probes/registry.ts";
import { isPushed } from "../push/service.ts";
import { hasMonitorBudget } from "./check-budget.ts";
import { isScheduled } from "./placement.ts";

/**
 * Syncs the object after a committed change and enqueues a first check. Failures here do not undo the change: the sweep
 * syncs the object again, and the schedule checks the monitor in any case.
 */
export async function syncMonitorObject(ctx: RequestScope, changed: Pick<MonitorRecord, "id" | "config_version">) {
  try {
    return await syncMonitor(ctx, changed.id, changed.config_version);
  } catch (error) {
    ctx.log.error("monitor object sync failed", error, { monitor_id: changed.id });
    return undefined;
  }
}

/**
 * Whether the object of a new monitor has to act before anything calls it: for a deadline of a push, or because the status
 * depends on others. Any other object reads its monitor at its first call, and a paused monitor may never have one.
 */
export function actsByItself(monitor: Pick<MonitorRecord, "type" | "options" | "interval" | "paused">): boolean {
  return monitorType(monitor.type).follows !== undefined || (isPushed(monitor) && !monitor.paused);
}

/** The same for a new monitor; gives it as it is afterwards, and its check group. */
export async function syncNewMonitor(ctx: RequestScope, created: MonitorRecord) {
  const snapshot = await askObject(ctx, created);
  const writes = snapshot ? buildProjection(ctx, created, snapshot) : [];
  return monitorOf(await runBatch(ctx.db, [...writes, ...readMonitor(ctx.db, created.id)]));
}

async function askObject(ctx: RequestScope, { id, config_version }: MonitorRecord): Promise<MonitorSnapshot | null> {
  try {
    return await answerInTime(monitorObject(ctx.env, id).sync(id, config_version));
  } catch (error) {
    ctx.log.error("monitor object sync failed", error, { monitor_id: id });
    return null;
  }
}

export async function syncDeletedMonitors(ctx: RequestScope, monitorIds: readonly string[]): Promise<void> {
  try {
    await emptyObjects(ctx, monitorIds);
  } catch (error) {
    ctx.log.error("deleted monitor sync failed", error, { monitors: monitorIds.length });
  }
}

/** A monitor that is no longer a member does not count for its composite any more. */
export async function syncParentComposite(
  ctx: RequestScope,
  { parent_monitor_id }: Pick<MonitorRecord, "parent_monitor_id">,
) {
  if (parent_monitor_id !== null) await syncMonitorObject(ctx, { id: parent_monitor_id, config_version: 0 });
}

/** Connected agents read what they are to check at once, before or after the change; others with their next poll. */
export function refreshAgents(
  { env }: Pick<RequestScope, "env">,
  monitors: readonly Pick<MonitorRecord, "agent_id" | "locations">[],
): void {
  const ids = new Set(monitors.flatMap(agentsOf));
  if (ids.size > 0) wakeAgents(env, [...ids], { monitors_changed: true });
}

export async function checkSoon(ctx: RequestScope, monitor: MonitorRecord): Promise<void> {
  if (monitor.paused || !isScheduled(monitor)) return;
  try {
    const plan = await getOwnerPlan(ctx, monitor.owner_id);
    if (!(await hasMonitorBudget(ctx, monitor, plan))) return;
    await enqueueChecks(ctx.env, [monitor], ctx.now);
  } catch (error) {
    ctx.log.error("first check enqueue failed, sweep retries", error, { monitor_id: monitor.id });
  }
}
