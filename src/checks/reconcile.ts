import type { Deps } from "../access/scope.ts";
import { findVisitedTo } from "../data/check-groups/read.ts";
import { setVisitedTo } from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import { listDeleted, listUncheckedAfter } from "../data/monitors/read.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { dissolveMonitor, syncMonitor } from "./projection.ts";

/** As many objects are visited a minute; with more monitors than this a round takes several minutes. */
const VISITS_MAX = 100;
const AT_ONCE = 6;

/**
 * Visits the monitors that nobody checks, in turn: those that are pushed to live by their alarm, composites by their
 * members' events, and either can get lost. Costs a bounded number of object requests, two rows read for each, and one
 * row written to remember how far the round came.
 */
export async function visitUnchecked(deps: Deps): Promise<void> {
  const after = await findVisitedTo(deps.db);
  const ids = await listUncheckedAfter(deps.db, after, VISITS_MAX);
  await visitEach(deps, ids, (id) => syncMonitor(deps, id, 0));
  const next = ids.length === VISITS_MAX ? (ids.at(-1) ?? "") : "";
  if (next !== after) await runBatch(deps.db, [setVisitedTo(deps.db, next)]);
}

/** The object of a monitor that was deleted while nobody could reach it would go on taking what is pushed to it. */
export async function visitDeleted(deps: Deps): Promise<void> {
  await visitEach(deps, await listDeleted(deps.db, VISITS_MAX), (id) => dissolveMonitor(deps, id));
}

/** One object that cannot be reached does not keep the others waiting. */
async function visitEach(deps: Deps, ids: readonly string[], visit: (id: string) => Promise<unknown>): Promise<void> {
  await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      await visit(id);
    } catch (error) {
      deps.log.error("visit", error, { monitor_id: id });
    }
  });
}
