import type { Scope } from "../access/scope.ts";
import type { StaleReport } from "../contract/monitor-object.ts";
import type { Statement } from "../data/db.ts";
import type { MonitorRecord, ProjectedMonitor } from "../data/monitors/read.ts";
import type { PackedResult } from "../data/monitors/table.ts";
import { isTargetKnown, markUnreachable } from "../data/monitors/unreachable.ts";
import { insertNotification, insertNotifications } from "../data/notifications/write.ts";
import { bumpPageVersions } from "../data/status-pages/write.ts";
import { validForMs } from "../domain/check-schedule.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { idFrom, newId } from "../platform/ids.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";
import { probeFor } from "../probes/registry.ts";
import { CONNECTIONS } from "./probe-check.ts";
import { buildProjection } from "./projection.ts";
import type { CheckedMonitor } from "./result-history.ts";

/**
 * The writes for monitors that the service itself failed to check: unknown at once where no check can succeed, and
 * otherwise when their last result is no longer valid. The owner of such a monitor is notified once.
 */
export async function markUncheckedMonitors(
  scope: Scope,
  latest: readonly PackedResult[],
  checked: readonly CheckedMonitor[],
): Promise<Statement[]> {
  const checkedAt = new Map(latest.map((packed) => [packed[0], packed[6]]));
  const marked = await mapConcurrently(checked, CONNECTIONS, async ({ monitor, result, blocked }) => {
    if (result.outcome !== "error" || monitor.status === "unknown") return [];
    const last_result_at = checkedAt.get(monitor.id) ?? null;
    const validUntil = (last_result_at ?? monitor.status_since) + validForMs(monitor);
    const canBeChecked = probeFor(monitor.type) !== null && blocked === undefined;
    if (canBeChecked && scope.now < validUntil) return [];
    const reason = result.message;
    if (blocked === undefined) return markUnknown(scope, monitor, { last_result_at, reason });
    // However recent the last result is, none follows.
    return markUnknown(scope, monitor, { last_result_at: scope.now, valid_until: scope.now, reason });
  });
  return marked.flat();
}

type KnownMonitor = ProjectedMonitor & Pick<MonitorRecord, "name" | "owner_id">;

/** The writes that make a monitor unknown: by its object, or in D1 alone while its object does not respond. */
export async function markUnknown(scope: Scope, monitor: KnownMonitor, report: StaleReport): Promise<Statement[]> {
  const { id, config_version } = monitor;
  try {
    const marking = monitorObject(scope.env, id).markStale(id, config_version, report);
    const answer = await withDeadline(marking, OBJECT_TIMEOUT_MS);
    if (!answer) return [];
    const isNew = answer.status === "unknown" && answer.seq !== monitor.state_seq;
    const notification = noticeOf(scope, monitor, {
      id: idFrom("unknown", id, String(answer.seq)),
      reason: report.reason,
    });
    return [...buildProjection(scope, monitor, answer), ...(isNew ? [insertNotification(scope.db, notification)] : [])];
  } catch (error) {
    scope.log.error("monitor object", error, { monitor_id: id });
    return showUnreachable(scope, [monitor]);
  }
}

/** The writes that make monitors unknown in D1 alone while their objects do not respond; each owner is notified once. */
export function showUnreachable(scope: Scope, monitors: readonly KnownMonitor[]): Statement[] {
  if (monitors.length === 0) return [];
  const { db, now } = scope;
  const reason = "the monitor's state is not available";
  const notices = monitors.map((monitor) => noticeOf(scope, monitor, { id: newId(now), reason }));
  const pages = new Set(monitors.flatMap(({ status_page_id }) => status_page_id ?? []));
  const ids = monitors.map(({ id }) => id);
  return [
    insertNotifications(db, notices, isTargetKnown),
    ...markUnreachable(db, ids, { reason, now }),
    ...(pages.size === 0 ? [] : [bumpPageVersions(db, [...pages], now)]),
  ];
}

function noticeOf(scope: Scope, monitor: KnownMonitor, { id, reason }: { id: string; reason: string }) {
  return {
    id,
    user_id: monitor.owner_id,
    type: "monitor.unchecked" as const,
    title: `Monitor "${monitor.name}" is not being checked`,
    message: `Its status is unknown: ${reason}.`,
    status_page_id: monitor.status_page_id,
    target_id: monitor.id,
    read_at: null,
    created_at: scope.now,
    updated_at: scope.now,
  };
}
