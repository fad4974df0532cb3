import type { Scope } from "../access/scope.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";

/** As many objects of monitors are called at a time. */
const CONCURRENCY = 6;

interface Outcome<Monitor, Result> {
  done: { monitor: Monitor; result: Result }[];
  failed: Monitor[];
}

/** Runs a step of a sweep for each monitor. A monitor whose step fails or hangs is logged and costs no other monitor's. */
export async function forEachMonitor<Monitor extends { id: string }, Result>(
  scope: Scope,
  { step, monitors }: { step: string; monitors: readonly Monitor[] },
  run: (monitor: Monitor) => Promise<Result>,
): Promise<Outcome<Monitor, Result>> {
  const outcome: Outcome<Monitor, Result> = { done: [], failed: [] };
  await mapConcurrently(monitors, CONCURRENCY, async (monitor) => {
    try {
      outcome.done.push({ monitor, result: await withDeadline(run(monitor), OBJECT_TIMEOUT_MS) });
    } catch (error) {
      scope.log.error(step, error, { monitor_id: monitor.id });
      outcome.failed.push(monitor);
    }
  });
  return outcome;
}
