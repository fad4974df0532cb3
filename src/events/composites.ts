import type { Scope } from "../access/scope.ts";
import { findMonitor } from "../data/monitors/read.ts";
import { monitorObject } from "../platform/monitor-objects.ts";

/**
 * Lets the composite of a monitor add up its members anew, once they are committed. A composite that cannot be told now
 * does not hold up its members' events: the minute visits it anyway.
 */
export async function recomputeComposite(scope: Scope, memberId: string): Promise<void> {
  const compositeId = (await findMonitor(scope.db, memberId))?.parent_monitor_id;
  if (!compositeId) return;
  try {
    await monitorObject(scope.env, compositeId).sync(compositeId, 0);
  } catch (error) {
    scope.log.error("composite not told", error, { monitor_id: compositeId });
  }
}
