import type { Scope } from "../access/scope.ts";
import { CheckRules } from "../contract/check-rules.ts";
import type { CheckMessage } from "../contract/messages.ts";
import type { CheckGroupRecord } from "../data/check-groups/read.ts";
import type { Statement } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { describeRest, type Hours, hoursOf, intervalsWhileDown, isDueWhileDown } from "../domain/check-rest.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";
import { CONNECTIONS } from "./probe-check.ts";
import { buildProjection } from "./projection.ts";

interface Rest {
  hours: Hours | null;
  /** What is said of it outside of its hours. */
  reason: string;
  /** Every how many slots it is checked while it is down. */
  every: number;
}

/** By the options of a monitor, which are one object as long as its row stays the same (data/whole-rows.ts). */
const rests = new WeakMap<object, Rest>();

/** Null of a monitor that never rests, as most. */
export function restOf({ options, interval }: Pick<MonitorRecord, "options" | "interval">): Rest | null {
  if (options.hours === undefined && options.interval_down === undefined) return null;
  const known = rests.get(options);
  if (known) return known;
  const rules = CheckRules.safeParse(options).data;
  if (!rules) return null;
  const every = intervalsWhileDown(interval, rules.interval_down);
  const rest = { hours: hoursOf(rules), reason: describeRest(rules), every };
  rests.set(options, rest);
  return rest;
}

export interface RestingMonitor {
  monitor: MonitorRecord;
  /** Since when it is outside of its hours, and why; null of one that is down and checked less often. */
  outside: { ended_at: number; reason: string } | null;
}

/** Which members of a message are checked, and which rest. */
export function splitResting(
  members: readonly MonitorRecord[],
  { slot_at, attempt, monitor_id }: CheckMessage,
  { latest }: Pick<CheckGroupRecord, "latest">,
): { due: MonitorRecord[]; resting: RestingMonitor[] } {
  const due: MonitorRecord[] = [];
  const resting: RestingMonitor[] = [];
  const isScheduled = attempt === 0 && monitor_id === undefined;
  for (const monitor of members) {
    const rest = restOf(monitor);
    if (rest?.hours && !rest.hours.contains(slot_at)) {
      resting.push({ monitor, outside: { ended_at: rest.hours.endedBefore(slot_at), reason: rest.reason } });
    } else if (rest && isScheduled && isSpared(monitor, rest.every, slot_at, latest)) {
      resting.push({ monitor, outside: null });
    } else due.push(monitor);
  }
  return { due, resting };
}

/** A first success on the way up is confirmed at the usual pace. */
function isSpared(
  { id, status, interval }: MonitorRecord,
  every: number,
  slotAt: number,
  latest: CheckGroupRecord["latest"],
): boolean {
  if (status !== "down" || every === 1 || isDueWhileDown(slotAt, interval, every)) return false;
  return latest.some((packed) => packed[0] === id && packed[5] === "failure");
}

/**
 * The writes that make monitors unknown whose hours are over, by one call of the object of each, once: nobody is notified of
 * what was wanted. One whose object does not respond is tried again with the next slot.
 */
export async function endHours(scope: Scope, resting: readonly RestingMonitor[]): Promise<Statement[]> {
  const ending = resting.filter(({ monitor }) => monitor.status !== "unknown");
  const ended = await mapConcurrently(ending, CONNECTIONS, async ({ monitor, outside }) => {
    if (outside === null) return [];
    const { id, config_version } = monitor;
    // However recent the last result is, it says nothing of the time after the hours.
    const report = { last_result_at: scope.now, valid_until: outside.ended_at, reason: outside.reason };
    try {
      const marking = monitorObject(scope.env, id).markStale(id, config_version, report);
      const answer = await withDeadline(marking, OBJECT_TIMEOUT_MS);
      return answer ? buildProjection(scope, monitor, answer) : [];
    } catch (error) {
      scope.log.error("end of hours", error, { monitor_id: id });
      return [];
    }
  });
  return ended.flat();
}
