import type { Scope } from "../access/scope.ts";
import { findMonitor } from "../data/monitors/read.ts";
import { monitorObject } from "../platform/monitor-objects.ts";

/**
 * Recomputes the composite of a monitor after a transition of the child is committed. A failure does not delay events of
 * the child: the reconciliation recomputes the composite, too.
 */
export async function recomputeComposite(scope: Scope, childId: string): Promise<void> {
  const compositeId = (await findMonitor(scope.db, childId))?.parent_monitor_id;
  if (!compositeId) return;
  try {
    await monitorObject(scope.env, compositeId).sync(compositeId, 0);
  } catch (error) {
    scope.log.error("composite recompute failed", error, { monitor_id: compositeId });
  }
}
