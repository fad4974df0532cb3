import type { Scope } from "../access/scope.ts";
import { AGENT_OFFLINE_AFTER_MS } from "../contract/agent.ts";
import { deleteOldCommands, deleteOldReports } from "../data/agent-reports/write.ts";
import { listStaleAgentMonitors } from "../data/agent-results/read.ts";
import { deleteExpiredResults } from "../data/agent-results/write.ts";
import { listAgentsToMarkOffline } from "../data/agents/read.ts";
import { deleteExpiredInstallTokens } from "../data/agents/write.ts";
import { runBatch } from "../data/db.ts";
import { DAY_MS } from "../lib/durations.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { setAgentPresence } from "./agent-presence.ts";
import { forEachMonitor } from "./isolated.ts";
import { buildProjection } from "./projection.ts";

const REPORTS_KEPT_MS = DAY_MS;

/** Marks agents offline that stopped reporting, and their monitors unknown; deletes old reports. */
export async function sweepAgents(scope: Scope): Promise<void> {
  const now = scope.now;
  const silent_since = now - AGENT_OFFLINE_AFTER_MS;
  for (const agent of await listAgentsToMarkOffline(scope.db, silent_since)) {
    await setAgentPresence(scope, agent, { to: "offline", silent_since });
  }
  await markStaleAgentMonitors(scope, now);
  await runBatch(scope.db, [
    deleteExpiredInstallTokens(scope.db, now),
    deleteExpiredResults(scope.db, now),
    deleteOldReports(scope.db, now - REPORTS_KEPT_MS),
    deleteOldCommands(scope.db, now - REPORTS_KEPT_MS),
  ]);
}

/** Selects by the rows themselves, so that the next run catches up after one that was interrupted. */
async function markStaleAgentMonitors(scope: Scope, now: number): Promise<void> {
  const monitors = await listStaleAgentMonitors(scope.db, now);
  await forEachMonitor(scope, { step: "mark stale", monitors }, async (monitor) => {
    const isAgentOnline = monitor.agent_status === "online";
    const report = {
      // A monitor that was checked elsewhere before it was assigned to its agent has a valid status up to then.
      last_result_at: monitor.last_result_at ?? monitor.updated_at,
      reason: isAgentOnline ? "no recent result from the agent" : "the agent is offline",
    };
    const answer = await monitorObject(scope.env, monitor.id).markStale(monitor.id, monitor.config_version, report);
    if (answer) await runBatch(scope.db, buildProjection(scope, monitor, answer));
  });
}
