import { capOf } from "../../access/plan-caps.ts";
import { requireCallingAgent } from "../../access/principal.ts";
import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { recordAgentCall } from "../../checks/agent-presence.ts";

/** Agents that share one count; one that works normally sends some fifteen requests a minute. */
const AGENTS_PER_COUNT = 5;

/** Counted before anything is written. An owner has as many counts as the agents of the plan need. */
async function admitAgentCall(ctx: RequestScope): Promise<void> {
  const { agent, plan } = requireCallingAgent(ctx);
  const max = capOf(ctx.settings, "agents", plan);
  if (max !== null) {
    const share = Number.parseInt(agent.id.slice(-6), 16) % Math.ceil(max / AGENTS_PER_COUNT);
    await requireRate(ctx, "agent_owner", `${agent.owner_id}:${share}`);
  }
  await recordAgentCall(ctx);
}

/**
 * Of every call of an enrolled agent. Choice: what an agent measures (metrics, log events, results of checks) leaves no
 * audit row of its own. It comes every few seconds, is kept where it can be read as what it is, and would bury what people
 * look for; what results lead to, incidents, is audited. That it enrolled, whose credential changed, what it says of its
 * host and program, what it found for the first time and what came of a command are audited.
 */
export const agentCalls = {
  at: ["v1"],
  auth: "agent",
  permission: null,
  audit: null,
  rate: "agent",
  onAuthenticated: admitAgentCall,
} as const;
