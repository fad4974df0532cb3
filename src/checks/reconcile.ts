import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { findInstallation } from "../data/installation/read.ts";
import { listProjected, listTombstones, listUnscheduled, listUnsynced } from "../data/monitors/read.ts";
import { RECONCILE_ROTAS } from "../data/monitors/table.ts";
import { deleteTombstones } from "../data/monitors/write.ts";
import { endRestoredMessages } from "../data/outbox/restored.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { monitorObject, tombstoneObject } from "../platform/monitor-objects.ts";
import { witnessObject } from "../platform/witness-object.ts";
import { forEachMonitor } from "./isolated.ts";
import { projectAll } from "./projection.ts";

/** The request or message that changed a monitor has this long to sync its object. */
const GRACE_MS = 30 * SECOND_MS;
const MONITORS_PER_MINUTE = 10_000;
const UNSCHEDULED_PER_MINUTE = 50_000;
const TICK_TIMEOUT_MS = 10 * SECOND_MS;
/** As many objects are called for one message. */
const OBJECTS_PER_MESSAGE = 200;

/** Syncs objects that have not confirmed the newest configuration of their monitor. */
export async function reconcileUnsyncedMonitors(scope: Scope): Promise<void> {
  const items = await listUnsynced(scope.db, scope.now - GRACE_MS, MONITORS_PER_MINUTE);
  await processInPortions(scope, { part: "sync monitors", items, per_message: OBJECTS_PER_MESSAGE }, syncMonitors);
}

/**
 * Syncs monitors without a check schedule. Push monitors depend on their object's alarm and composites on events of
 * their children; both can be lost, and D1 holds no trace of it, because a push writes nothing there. An index divides
 * the monitors into five rotas, one for each minute in turn, so that each object is called once in five minutes.
 */
export async function reconcileUnscheduledMonitors(scope: Scope, minuteAt: number): Promise<void> {
  const rota = Math.floor(minuteAt / MINUTE_MS) % RECONCILE_ROTAS;
  const items = await listUnscheduled(scope.db, rota, UNSCHEDULED_PER_MINUTE);
  await processInPortions(scope, { part: "sync monitors", items, per_message: OBJECTS_PER_MESSAGE }, syncMonitors);
}

/** Makes these objects and D1 agree: one call for each object, three statements in all. */
export async function syncMonitors(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  const monitors = await listProjected(scope.db, monitorIds);
  const epoch = (await findInstallation(scope.db))?.epoch ?? "";
  const { done } = await forEachMonitor(scope, { step: "reconcile failed", monitors }, ({ id, config_version }) =>
    monitorObject(scope.env, id).sync(id, config_version, epoch),
  );
  await projectAll(scope, done);
}

/** An object that was not reachable when its monitor was deleted would continue to accept pushes. */
export async function reconcileTombstones(scope: Scope): Promise<void> {
  const items = await listTombstones(scope.db, MONITORS_PER_MINUTE);
  const work = { part: "empty objects", items, per_message: OBJECTS_PER_MESSAGE } as const;
  await processInPortions(scope, work, emptyObjects);
}

/** Empties the objects of deleted monitors and then deletes the tombstones of those that confirmed it. */
export async function emptyObjects(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  const monitors = monitorIds.map((id) => ({ id }));
  const { done } = await forEachMonitor(scope, { step: "deleted monitor sync failed", monitors }, ({ id }) =>
    tombstoneObject(scope.env, id),
  );
  const ids = done.map(({ monitor }) => monitor.id);
  if (ids.length > 0) await runBatch(scope.db, [deleteTombstones(scope.db, ids)]);
}

/**
 * Notices that D1 or the objects went back in time. Every monitor is unsynced in a new epoch, and what a restored D1 would
 * send a second time is ended. Runs before the parts of its minute, which would send it.
 */
export async function watchEpoch(scope: Scope): Promise<void> {
  const { db, env, log, now } = scope;
  const { epoch, went_back, restored } = await withDeadline(witnessObject(env).tick(now), TICK_TIMEOUT_MS);
  if (went_back) log.warn("the database or the objects went back in time", { epoch });
  if (restored) await runBatch(db, endRestoredMessages(db, { ...restored, now }));
}
