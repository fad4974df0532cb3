import { commit } from "../../access/commit.ts";
import { runOnce } from "../../access/idempotency.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { getOwnerPlan } from "../../access/owners.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import {
  awaitAgentResult,
  findNewestResultAt,
  type RequestedAgentCheck,
  unknownBecause,
} from "../../checks/agent-check.ts";
import { checkNow } from "../../checks/manual-check.ts";
import { ManualCheckResult } from "../../contract/check.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import { agentsOf, asksEdge } from "../../contract/location.ts";
import type { AgentCommandRecord } from "../../data/agent-reports/read.ts";
import { insertCommand } from "../../data/agent-reports/write.ts";
import { listAgentsByIds } from "../../data/locations/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { statusAt } from "../../domain/agent-status.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { newId } from "../../platform/ids.ts";
import { monitorType } from "../../probes/registry.ts";
import { requireMonitorBudget } from "./check-budget.ts";
import { isScheduled } from "./placement.ts";

/**
 * Checks a monitor now, from here or by its agent. Choice: an agent that cannot be asked, or does not answer in time,
 * leaves the answer `unknown`, because that is what is known then; its result counts whenever it comes.
 */
export async function checkMonitor(ctx: RequestScope, monitorId: string): Promise<ManualCheckResult> {
  const monitor = await requireMonitor(ctx, monitorId);
  const command = await orderOf(ctx, monitor);
  return runOnce(ctx, (stored) => ManualCheckResult.parse(stored), {
    claim: () => claim(ctx, monitor, command),
    run: () => run(ctx, monitor, command),
  });
}

type Order = { record: AgentCommandRecord; ordered: RequestedAgentCheck };

/** The command for the monitor's agent, the first of several that is online; undefined without one. */
async function orderOf(ctx: RequestScope, monitor: MonitorRecord): Promise<Order | undefined> {
  const agents = await listAgentsByIds(ctx.db, asksEdge(monitor) ? [] : agentsOf(monitor));
  const agent = agents.find((each) => statusAt(each, ctx.now) === "online");
  if (!agent) return undefined;
  const record: AgentCommandRecord = {
    id: newId(),
    agent_id: agent.id,
    type: "check_now",
    params: { monitor_id: monitor.id },
    created_at: ctx.now,
    acked_at: null,
    ok: null,
    result: null,
    error: null,
  };
  const after = await findNewestResultAt(ctx, { ...monitor, agent_id: agent.id });
  return { record, ordered: { agent_id: agent.id, command_id: record.id, after } };
}

async function claim(ctx: RequestScope, monitor: MonitorRecord, order: Order | undefined): Promise<void> {
  if (monitorType(monitor.type).follows !== undefined || (asksEdge(monitor) && !isScheduled(monitor))) {
    throw invalid("this monitor has no checks: its status comes from pushes, child monitors or its agent");
  }
  if (monitor.paused) throw conflict("the monitor is paused");
  // What an agent checks, it reaches from its own network.
  if (asksEdge(monitor)) await requireMonitorBudget(ctx, monitor, await getOwnerPlan(ctx, monitor.owner_id));
  await commit(ctx, order ? [insertCommand(ctx.db, order.record)] : [], {
    audit: monitorAudit(monitor, "checked", order ? { command_id: order.record.id } : {}),
  });
  if (order) wakeAgents(ctx.env, [order.record.agent_id]);
}

async function run(ctx: RequestScope, monitor: MonitorRecord, order: Order | undefined): Promise<ManualCheckResult> {
  if (asksEdge(monitor)) return checkNow(ctx, monitor);
  return order ? awaitAgentResult(ctx, monitor, order.ordered) : unknownBecause("the agent is offline", ctx.now);
}
