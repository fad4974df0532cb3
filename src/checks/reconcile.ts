import type { Scope } from "../access/scope.ts";
import { findReconcileCursor } from "../data/check-groups/read.ts";
import { saveReconcileCursor } from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import { listTombstones, listUnscheduledAfter } from "../data/monitors/read.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { syncMonitor, tombstoneMonitor } from "./projection.ts";

/** As many objects are visited a minute; with more monitors than this a round takes several minutes. */
const VISITS_MAX = 100;
const AT_ONCE = 6;

/**
 * Visits the monitors that nobody checks, in turn: those that are pushed to live by their alarm, composites by their
 * members' events, and either can get lost. Costs a bounded number of object requests, two rows read for each, and one
 * row written to remember how far the round came.
 */
export async function reconcileUnscheduledMonitors(scope: Scope): Promise<void> {
  const after = await findReconcileCursor(scope.db);
  const ids = await listUnscheduledAfter(scope.db, after, VISITS_MAX);
  await visitEach(scope, ids, (id) => syncMonitor(scope, id, 0));
  const next = ids.length === VISITS_MAX ? (ids.at(-1) ?? "") : "";
  if (next !== after) await runBatch(scope.db, [saveReconcileCursor(scope.db, next)]);
}

/** The object of a monitor that was deleted while nobody could reach it would go on taking what is pushed to it. */
export async function reconcileTombstones(scope: Scope): Promise<void> {
  await visitEach(scope, await listTombstones(scope.db, VISITS_MAX), (id) => tombstoneMonitor(scope, id));
}

/** One object that cannot be reached does not keep the others waiting. */
async function visitEach(scope: Scope, ids: readonly string[], visit: (id: string) => Promise<unknown>): Promise<void> {
  await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      await visit(id);
    } catch (error) {
      scope.log.error("visit", error, { monitor_id: id });
    }
  });
}
