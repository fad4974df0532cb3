import type { Scope } from "../access/scope.ts";
import { AGENT_OFFLINE_AFTER_MS } from "../contract/agent.ts";
import { deleteOldCommands, deleteOldReports } from "../data/agent-reports/write.ts";
import { listStaleAgentMonitors, listStaleAgentMonitorsAmong } from "../data/agent-results/read.ts";
import { deleteExpiredResults } from "../data/agent-results/write.ts";
import { listAgentsToMarkOffline } from "../data/agents/read.ts";
import { deleteExpiredInstallTokens } from "../data/agents/write.ts";
import { runBatch } from "../data/db.ts";
import { DAY_MS } from "../lib/durations.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { setAgentPresence } from "./agent-presence.ts";
import { forEachMonitor } from "./isolated.ts";
import { projectAll } from "./projection.ts";

const REPORTS_KEPT_MS = DAY_MS;
/** Their events are one parameter of a statement, at most 2 MB. */
const AGENTS_PER_PAGE = 1_000;
const PAGES_PER_MINUTE = 10;
const MONITORS_PER_MINUTE = 10_000;
/** As many objects are called for one message. */
const OBJECTS_PER_MESSAGE = 200;

/** Marks agents offline that stopped reporting, and their monitors unknown; deletes old reports. */
export async function sweepAgents(scope: Scope): Promise<void> {
  await markAgentsOffline(scope);
  const items = await listStaleAgentMonitors(scope.db, scope.now, MONITORS_PER_MINUTE);
  const work = { part: "stale agent monitors", items, per_message: OBJECTS_PER_MESSAGE };
  await processInPortions(scope, work, markAgentMonitorsStale);
  await runBatch(scope.db, [
    deleteExpiredInstallTokens(scope.db, scope.now),
    deleteExpiredResults(scope.db, scope.now),
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

/** Selects by the rows themselves, so that the next run catches up after one that was interrupted. */
export async function markAgentMonitorsStale(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  const monitors = await listStaleAgentMonitorsAmong(scope.db, scope.now, monitorIds);
  const { done } = await forEachMonitor(scope, { step: "mark stale", monitors }, (monitor) => {
    const isAgentOnline = monitor.agent_status === "online";
    return monitorObject(scope.env, monitor.id).markStale(monitor.id, monitor.config_version, {
      // A monitor that was checked elsewhere before it was assigned to its agent has a valid status up to then.
      last_result_at: monitor.last_result_at ?? monitor.updated_at,
      reason: isAgentOnline ? "no recent result from the agent" : "the agent is offline",
    });
  });
  await projectAll(scope, done);
}
