import type { Scope } from "../access/scope.ts";
import { AGENT_OFFLINE_AFTER_MS, type AgentStatus } from "../contract/agent.ts";
import type { StaleReport } from "../contract/monitor-object.ts";
import { deleteOldCommands, deleteOldReports } from "../data/agent-reports/write.ts";
import {
  listAwaitingAgentMonitors,
  listAwaitingAgentMonitorsAmong,
  listDueAgents,
  listStaleAgentMonitors,
  listStaleAgentMonitorsAmong,
} from "../data/agent-results/read.ts";
import { settleLatest } from "../data/agent-results/write.ts";
import { listAgentsToMarkOffline } from "../data/agents/read.ts";
import { deleteExpiredInstallTokens } from "../data/agents/write.ts";
import { runBatch } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { DAY_MS } from "../lib/durations.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { setAgentPresence } from "./agent-presence.ts";
import { forEachMonitor } from "./isolated.ts";
import { projectAll } from "./projection.ts";
import { restOf } from "./resting.ts";
import { showUnreachable } from "./unchecked.ts";

const REPORTS_KEPT_MS = DAY_MS;
/** Their events are one parameter of a statement, at most 2 MB. */
const AGENTS_PER_PAGE = 1_000;
const PAGES_PER_MINUTE = 10;
/** Of which a result has ended to be valid. Others cost nothing, however many there are. */
const DUE_AGENTS_PER_MINUTE = 10_000;
const DUE_AGENTS_PER_QUERY = 200;
/** 200,000 in five minutes. */
const MONITORS_PER_MINUTE = 40_000;
/** As many objects are called for one message. */
const OBJECTS_PER_MESSAGE = 200;

/** Marks agents offline that stopped reporting, and their monitors unknown; deletes old reports. */
export async function sweepAgents(scope: Scope): Promise<void> {
  await markAgentsOffline(scope);
  const awaiting = await listAwaitingAgentMonitors(scope.db, scope.now, MONITORS_PER_MINUTE);
  const items = [...(await listStaleMonitors(scope)), ...awaiting.map(({ id }) => id)];
  const work = { part: "stale agent monitors", items, per_message: OBJECTS_PER_MESSAGE } as const;
  await processInPortions(scope, work, markAgentMonitorsStale);
  await runBatch(scope.db, [
    deleteExpiredInstallTokens(scope.db, scope.now),
    deleteOldReports(scope.db, scope.now - REPORTS_KEPT_MS),
    deleteOldCommands(scope.db, scope.now - REPORTS_KEPT_MS),
  ]);
}

/** Page by page: what a page switches, the next one does not find again. */
async function markAgentsOffline(scope: Scope): Promise<void> {
  const silent_since = scope.now - AGENT_OFFLINE_AFTER_MS;
  for (let page = 0; page < PAGES_PER_MINUTE; page += 1) {
    const agents = await listAgentsToMarkOffline(scope.db, silent_since, AGENTS_PER_PAGE);
    if (agents.length > 0) await setAgentPresence(scope, agents, { to: "offline", silent_since });
    if (agents.length < AGENTS_PER_PAGE) return;
  }
}

/** Seeks the agents that are due; those without a monitor to mark are due no longer. */
async function listStaleMonitors({ db, now }: Scope): Promise<string[]> {
  const due = await listDueAgents(db, now, DUE_AGENTS_PER_MINUTE);
  const items: string[] = [];
  for (let from = 0; from < due.length && items.length < MONITORS_PER_MINUTE; from += DUE_AGENTS_PER_QUERY) {
    const agents = due.slice(from, from + DUE_AGENTS_PER_QUERY);
    const limit = MONITORS_PER_MINUTE - items.length;
    const stale = await listStaleAgentMonitors(db, agents, now, limit);
    items.push(...stale.map(({ id }) => id));
    if (stale.length === limit) break;
    const marked = new Set(stale.map(({ agent_id }) => agent_id));
    const settled = agents.filter((id) => !marked.has(id));
    if (settled.length > 0) await runBatch(db, [settleLatest(db, settled, now)]);
  }
  return items;
}

/** Several agents may check one monitor. */
function newestOfEach<Found extends { id: string; last_result_at: number }>(found: readonly Found[]): Found[] {
  const newest = new Map<string, Found>();
  for (const each of found) {
    if (each.last_result_at >= (newest.get(each.id)?.last_result_at ?? 0)) newest.set(each.id, each);
  }
  return [...newest.values()];
}

/** Selects by the rows themselves, so that the next run catches up after one that was interrupted. */
export async function markAgentMonitorsStale(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  const [stale, awaiting] = await Promise.all([
    listStaleAgentMonitorsAmong(scope.db, scope.now, monitorIds),
    listAwaitingAgentMonitorsAmong(scope.db, scope.now, monitorIds),
  ]);
  const monitors = [
    // A monitor that was checked elsewhere before it was assigned to its agent has a valid status up to then.
    ...newestOfEach(stale).map((each) => ({ ...each, last_result_at: each.last_result_at || each.updated_at })),
    ...awaiting.map((each) => ({ ...each, last_result_at: null })),
  ];
  if (monitors.length === 0) return;
  const { done, failed } = await forEachMonitor(scope, { step: "mark stale", monitors }, (monitor) =>
    monitorObject(scope.env, monitor.id).markStale(monitor.id, monitor.config_version, reportOn(scope, monitor)),
  );
  await projectAll(scope, done);
  const agents = new Set(stale.map(({ agent_id }) => agent_id));
  await runBatch(scope.db, [...showUnreachable(scope, failed), settleLatest(scope.db, [...agents], scope.now)]);
}

type Unreported = Pick<MonitorRecord, "options" | "interval"> & {
  last_result_at: number | null;
  agent_status: AgentStatus;
};

/** Outside of a monitor's hours nobody waits for its agent. */
function reportOn({ now }: Scope, { last_result_at, agent_status, ...monitor }: Unreported): StaleReport {
  const rest = restOf(monitor);
  if (rest?.hours && !rest.hours.contains(now)) {
    return { last_result_at: now, valid_until: rest.hours.endedBefore(now), reason: rest.reason };
  }
  const reason = agent_status === "online" ? "no recent result from the agent" : "the agent is offline";
  return { last_result_at, reason };
}
