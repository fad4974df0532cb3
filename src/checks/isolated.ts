import type { Scope } from "../access/scope.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";

/** As many objects of monitors are called at a time. */
const CONCURRENCY = 6;

/** Runs a step of a sweep for each monitor. A monitor whose step fails is logged and costs no other monitor's step. */
export async function forEachMonitor<Monitor extends { id: string }>(
  scope: Scope,
  { step, monitors }: { step: string; monitors: readonly Monitor[] },
  run: (monitor: Monitor) => Promise<unknown>,
): Promise<void> {
  await mapConcurrently(monitors, CONCURRENCY, async (monitor) => {
    try {
      await run(monitor);
    } catch (error) {
      scope.log.error(step, error, { monitor_id: monitor.id });
    }
  });
}
