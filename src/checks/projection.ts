import type { Scope } from "../access/scope.ts";
import type { MonitorSnapshot } from "../contract/monitor-object.ts";
import { announceChanges, runBatch, type Statement } from "../data/db.ts";
import { findMonitor, listProjected, type MonitorRecord, type ProjectedMonitor } from "../data/monitors/read.ts";
import { resumeReachable } from "../data/monitors/unreachable.ts";
import { projectAnswers, updateExpiries } from "../data/monitors/write.ts";
import { bumpPageOfMoved, bumpPageVersions } from "../data/status-pages/write.ts";
import { findNewExpiries } from "../domain/expiries.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { answerInTime } from "../platform/object-timeout.ts";

/** A monitor as D1 knew it before its object answered. */
export interface Answered {
  known: ProjectedMonitor;
  answer: MonitorSnapshot;
}

/** The writes that copy a snapshot into D1; none when D1 holds the same already. */
export function buildProjection(scope: Scope, known: ProjectedMonitor, answer: MonitorSnapshot): Statement[] {
  return buildProjections(scope, [{ known, answer }]);
}

/** The same for any number of monitors in two statements, and two more where objects respond again. */
export function buildProjections({ db, now }: Scope, answered: readonly Answered[]): Statement[] {
  const fresh = answered.filter(isFresh);
  const resumed = fresh.filter(isReachableAgain);
  const shown = fresh.filter((each) => hasMoved(each) || failsElsewhere(each));
  const pages = new Set(shown.flatMap(({ known }) => known.status_page_id ?? []));
  return [
    ...(fresh.length === 0
      ? []
      : [
          ...(resumed.length === 0 ? [] : resumeReachable(db, resumed.map(statusOf), now)),
          projectAnswers(
            db,
            fresh.map(({ known, answer }) => ({ monitor_id: known.id, answer })),
          ),
        ]),
    ...(pages.size === 0 ? [] : [bumpPageVersions(db, [...pages], now)]),
  ];
}

/** The same of a monitor that was not read before: one call, and a second one where its object responds again. */
export async function projectSnapshot({ db, now }: Scope, monitorId: string, answer: MonitorSnapshot): Promise<void> {
  const [[known], pages] = await db.batch([
    listProjected(db, [monitorId]),
    bumpPageOfMoved(db, { monitor_id: monitorId, ...answer }, now),
    projectAnswers(db, [{ monitor_id: monitorId, answer }], { only_changes: true }),
  ]);
  announceChanges(
    db,
    pages.map(({ id }) => id),
  );
  if (!known || !isReachableAgain({ known, answer })) return;
  await runBatch(db, resumeReachable(db, [{ monitor_id: monitorId, status: answer.status }], now));
}

/** D1 alone says unknown of it, because its object did not respond. */
function isReachableAgain({ known, answer }: Answered): boolean {
  const wasUnreachable = known.status === "unknown" && known.synced_version === 0;
  return wasUnreachable && answer.seq === known.state_seq && answer.status !== "unknown";
}

const statusOf = ({ known, answer }: Answered) => ({ monitor_id: known.id, status: answer.status });

function hasMoved({ known, answer }: Answered): boolean {
  return answer.seq !== known.state_seq || answer.status !== known.status;
}

/** Pages may show from where a service is not reached. */
function failsElsewhere({ known, answer: { locations_down = [] } }: Answered): boolean {
  return known.locations_down.join() !== locations_down.join();
}

function isFresh(answered: Answered): boolean {
  const { known, answer } = answered;
  const isSynced = answer.config_version === known.synced_version && answer.epoch === known.synced_epoch;
  return (
    hasMoved(answered) ||
    failsElsewhere(answered) ||
    answer.settled !== known.settled ||
    answer.retry !== null ||
    !isSynced
  );
}

/** The write that stores a new expiry that a check found; none when D1 holds the same already. */
export function buildExpiries(scope: Scope, monitor: MonitorRecord, details: Record<string, unknown>): Statement[] {
  const expiries = findNewExpiries(monitor, details);
  return expiries === null ? [] : [updateExpiries(scope.db, monitor.id, expiries)];
}

/** Syncs a monitor's object with a committed change; returns the record afterwards, undefined for a deleted monitor. */
export async function syncMonitor(
  scope: Scope,
  monitorId: string,
  version: number,
): Promise<MonitorRecord | undefined> {
  const answer = await answerInTime(monitorObject(scope.env, monitorId).sync(monitorId, version));
  const record = await findMonitor(scope.db, monitorId);
  if (!record || !answer) return record;
  const writes = buildProjection(scope, record, answer);
  if (writes.length === 0) return record;
  await runBatch(scope.db, writes);
  return findMonitor(scope.db, monitorId);
}

/** Stores what the objects of these monitors answered. */
export async function projectAll(
  scope: Scope,
  visited: readonly { monitor: ProjectedMonitor; result: MonitorSnapshot | null }[],
): Promise<void> {
  const answered = visited.flatMap(({ monitor, result }) => (result ? [{ known: monitor, answer: result }] : []));
  await runBatch(scope.db, buildProjections(scope, answered));
}
