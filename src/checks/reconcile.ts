import type { Scope } from "../access/scope.ts";
import { findReconcileCursor } from "../data/check-groups/read.ts";
import { saveReconcileCursor } from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import { listTombstones, listUnscheduledAfter } from "../data/monitors/read.ts";
import { forEachMonitor } from "./isolated.ts";
import { syncMonitor, tombstoneMonitor } from "./projection.ts";

/** As many objects are called a minute. */
const OBJECTS_MAX = 100;

/**
 * Reconciles monitors without a check schedule. Push monitors depend on their object's alarm and composites on events of
 * their children; both can be lost. Cost per minute: at most 100 object requests, two rows read for each, one row written
 * for the cursor.
 */
export async function reconcileUnscheduledMonitors(scope: Scope): Promise<void> {
  const after = await findReconcileCursor(scope.db);
  const ids = await listUnscheduledAfter(scope.db, after, OBJECTS_MAX);
  await forEachMonitor(scope, { step: "reconcile failed", monitors: ids.map((id) => ({ id })) }, ({ id }) =>
    syncMonitor(scope, id, 0),
  );
  const next = ids.length === OBJECTS_MAX ? (ids.at(-1) ?? "") : "";
  if (next !== after) await runBatch(scope.db, [saveReconcileCursor(scope.db, next)]);
}

/** An object that was not reachable when its monitor was deleted would continue to accept pushes. */
export async function reconcileTombstones(scope: Scope): Promise<void> {
  const monitors = (await listTombstones(scope.db, OBJECTS_MAX)).map((id) => ({ id }));
  await forEachMonitor(scope, { step: "deleted monitor sync failed", monitors }, ({ id }) =>
    tombstoneMonitor(scope, id),
  );
}
