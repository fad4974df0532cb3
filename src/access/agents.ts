import { forbidden, notFound } from "../contract/errors.ts";
import { type AgentCommandRecord, findCommand } from "../data/agent-reports/read.ts";
import { type AgentRecord, findAgent } from "../data/agents/read.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import type { Membership } from "../domain/roles.ts";
import { findMembership, once, requirePermission } from "./pages.ts";
import { requireCallingAgent } from "./principal.ts";
import type { RequestScope } from "./scope.ts";

export interface AccessibleAgent {
  agent: AgentRecord;
  membership: Membership;
}

/** An agent is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleAgent(ctx: RequestScope, agentId: string): Promise<AccessibleAgent> {
  return once(ctx, `agent ${agentId}`, async () => {
    const agent = await findAgent(ctx.db, agentId);
    const membership = agent && (await findMembership(ctx, agent));
    if (!agent || !membership) throw notFound("agent");
    return { agent, membership };
  });
}

export async function requireAgent(ctx: RequestScope, agentId: string): Promise<AgentRecord> {
  const { agent, membership } = await requireVisibleAgent(ctx, agentId);
  requirePermission(membership, ctx.permission);
  return agent;
}

/** A monitor of the calling agent; of the same account but not given to this agent is 403. */
export function requireAssignedMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorRecord> {
  return once(ctx, `assigned monitor ${monitorId}`, async () => {
    const { agent } = requireCallingAgent(ctx);
    const monitor = await findMonitor(ctx.db, monitorId);
    if (monitor?.owner_id !== agent.owner_id) throw notFound("monitor");
    if (monitor.agent_id !== agent.id) throw forbidden("the monitor is not assigned to this agent");
    return monitor;
  });
}

export function requireOwnCommand(ctx: RequestScope, commandId: string): Promise<AgentCommandRecord> {
  return once(ctx, `command ${commandId}`, async () => {
    const command = await findCommand(ctx.db, requireCallingAgent(ctx).agent.id, commandId);
    if (!command) throw notFound("command");
    return command;
  });
}
