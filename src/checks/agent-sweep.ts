import { setAgentPresence } from "../access/agent-presence.ts";
import type { Scope } from "../access/scope.ts";
import { AGENT_OFFLINE_AFTER_MS } from "../contract/agent.ts";
import { deleteOldCommands, deleteOldReports } from "../data/agent-reports/write.ts";
import { listStaleAgentMonitors } from "../data/agent-results/read.ts";
import { deleteExpiredResults } from "../data/agent-results/write.ts";
import { listAgentsToMarkOffline } from "../data/agents/read.ts";
import { deleteExpiredInstallTokens } from "../data/agents/write.ts";
import { runBatch } from "../data/db.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { buildProjection } from "./projection.ts";

const REPORTS_KEPT_MS = 24 * 60 * 60 * 1000;

/** Notices agents that fell silent, and with them their monitors; forgets what agents told of long ago. */
export async function sweepAgents(scope: Scope): Promise<void> {
  const now = scope.now();
  const silent_since = now - AGENT_OFFLINE_AFTER_MS;
  for (const agent of await listAgentsToMarkOffline(scope.db, silent_since)) {
    await setAgentPresence(scope, agent, { to: "offline", now, silent_since });
  }
  await markUnheard(scope, now);
  await runBatch(scope.db, [
    deleteExpiredInstallTokens(scope.db, now),
    deleteExpiredResults(scope.db, now),
    deleteOldReports(scope.db, now - REPORTS_KEPT_MS),
    deleteOldCommands(scope.db, now - REPORTS_KEPT_MS),
  ]);
}

/** Found by what the rows say, not by what happened just now, so that a sweep that broke off is made up for. */
async function markUnheard(scope: Scope, now: number): Promise<void> {
  for (const monitor of await listStaleAgentMonitors(scope.db, now)) {
    const isAgentOnline = monitor.agent_status === "online";
    const silence = {
      // A monitor that was checked from elsewhere until it was given to its agent is known up to then.
      last_result_at: monitor.last_result_at ?? monitor.updated_at,
      reason: isAgentOnline ? "the agent sent no result for too long" : "the agent is offline",
    };
    const answer = await monitorObject(scope.env, monitor.id).markStale(monitor.id, monitor.config_version, silence);
    if (answer) await runBatch(scope.db, buildProjection(scope, monitor, answer));
  }
}
