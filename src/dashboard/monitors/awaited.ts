import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { MINUTE_MS } from "../../lib/durations.ts";

/** A first result comes within moments or, as that of a nightly job, some day: then a change is announced. */
const AWAITED_MS = 10 * MINUTE_MS;

/** Whether a view of the monitor asks again and again for its first result. */
export function awaitsResult({ status, status_since }: { status: MonitorStatus; status_since: number }, now: number) {
  return status === "pending" && now - status_since < AWAITED_MS;
}

/** The same for results of a check that was asked for, until each place has answered. */
export function awaitsAnswer(tested: readonly { result: unknown }[], asked: number | undefined, now: number): boolean {
  return asked !== undefined && now - asked < AWAITED_MS && tested.some(({ result }) => result === null);
}
