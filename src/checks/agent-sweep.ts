import { switchAgent } from "../access/agent-presence.ts";
import type { Deps } from "../access/scope.ts";
import { AGENT_SILENCE_MS } from "../contract/agent.ts";
import { deleteOldCommands, deleteOldReports } from "../data/agent-reports/write.ts";
import { listUnheard } from "../data/agent-results/read.ts";
import { deleteExpiredResults } from "../data/agent-results/write.ts";
import { listSilentAgents } from "../data/agents/read.ts";
import { deleteExpiredInstallTokens } from "../data/agents/write.ts";
import { runBatch } from "../data/db.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { projectionOf } from "./projection.ts";

const REPORTS_KEPT_MS = 24 * 60 * 60 * 1000;

/** Notices agents that fell silent, and with them their monitors; forgets what agents told of long ago. */
export async function sweepAgents(deps: Deps): Promise<void> {
  const now = deps.now();
  const silent_since = now - AGENT_SILENCE_MS;
  for (const agent of await listSilentAgents(deps.db, silent_since)) {
    await switchAgent(deps, agent, { to: "offline", now, silent_since });
  }
  await markUnheard(deps, now);
  await runBatch(deps.db, [
    deleteExpiredInstallTokens(deps.db, now),
    deleteExpiredResults(deps.db, now),
    deleteOldReports(deps.db, now - REPORTS_KEPT_MS),
    deleteOldCommands(deps.db, now - REPORTS_KEPT_MS),
  ]);
}

/** Found by what the rows say, not by what happened just now, so that a sweep that broke off is made up for. */
async function markUnheard(deps: Deps, now: number): Promise<void> {
  for (const monitor of await listUnheard(deps.db, now)) {
    const isAgentOnline = monitor.agent_status === "online";
    const silence = {
      // A monitor that was checked from elsewhere until it was given to its agent is known up to then.
      last_result_at: monitor.last_result_at ?? monitor.updated_at,
      reason: isAgentOnline ? "the agent sent no result for too long" : "the agent is offline",
    };
    const answer = await monitorObject(deps.env, monitor.id).markStale(monitor.id, monitor.config_version, silence);
    if (answer) await runBatch(deps.db, projectionOf(deps, monitor, answer));
  }
}
