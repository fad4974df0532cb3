import type { Scope } from "../access/scope.ts";
import { findMonitor } from "../data/monitors/read.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";

/**
 * Recomputes the composite of a monitor after a transition of the child is committed. A failure does not delay events of
 * the child: the reconciliation recomputes the composite, too.
 */
export async function recomputeComposite(scope: Scope, childId: string): Promise<void> {
  const compositeId = (await findMonitor(scope.db, childId))?.parent_monitor_id;
  if (!compositeId) return;
  try {
    await withDeadline(monitorObject(scope.env, compositeId).sync(compositeId, 0), OBJECT_TIMEOUT_MS);
  } catch (error) {
    scope.log.error("composite recompute failed", error, { monitor_id: compositeId });
  }
}
