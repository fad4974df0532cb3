import type { Scope } from "../access/scope.ts";
import { RECONCILE_PART } from "../contract/messages.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { listTombstones, listUnscheduled } from "../data/monitors/read.ts";
import { RECONCILE_ROTAS } from "../data/monitors/table.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { forEachMonitor } from "./isolated.ts";
import { buildProjection, tombstoneMonitor } from "./projection.ts";

/** As many objects are called by one message. */
const OBJECTS_MAX = 400;
/** As many deleted monitors are handled a minute. */
const TOMBSTONES_MAX = 100;

/** One message of this part of the minute: the monitors of its rota after the one named. */
export interface ReconcileTurn {
  minute_at: number;
  after?: string;
}

/**
 * Reconciles monitors without a check schedule. Push monitors depend on their object's alarm and composites on events of
 * their children; both can be lost. An index divides the monitors into five rotas, one for each minute in turn, and a
 * rota into messages, so any number of monitors is through after five minutes.
 */
export async function reconcileUnscheduledMonitors(
  scope: Scope,
  { minute_at, after = "" }: ReconcileTurn,
): Promise<void> {
  const rota = Math.floor(minute_at / MINUTE_MS) % RECONCILE_ROTAS;
  const monitors = await listUnscheduled(scope.db, { rota, after, limit: OBJECTS_MAX });
  const last = monitors.length === OBJECTS_MAX ? monitors.at(-1) : undefined;
  // Before the objects are called, so that a fault among them does not end the rota.
  if (last) await scope.env.MINUTE.send({ part: RECONCILE_PART, minute_at, after: last.id });
  const writes: Statement[] = [];
  await forEachMonitor(scope, { step: "reconcile failed", monitors }, async (monitor) => {
    const answer = await monitorObject(scope.env, monitor.id).sync(monitor.id, 0);
    if (answer) writes.push(...buildProjection(scope, monitor, answer));
  });
  await runBatch(scope.db, writes);
}

/** An object that was not reachable when its monitor was deleted would continue to accept pushes. */
export async function reconcileTombstones(scope: Scope): Promise<void> {
  const monitors = (await listTombstones(scope.db, TOMBSTONES_MAX)).map((id) => ({ id }));
  await forEachMonitor(scope, { step: "deleted monitor sync failed", monitors }, ({ id }) =>
    tombstoneMonitor(scope, id),
  );
}
