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
import { listAgentsByIds } from "../../data/agents/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { statusAt } from "../../domain/agent-status.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { newId } from "../../platform/ids.ts";
import { monitorType } from "../../probes/registry.ts";
import { requireMonitorBudget } from "./check-budget.ts";
import { isScheduled } from "./placement.ts";

/**
 * Checks a monitor now, from here and by its agents; what is answered was found here, or where only agents check, by the first
 * of them that is online. Choice: an agent that cannot be asked, or does not answer in time,
 * leaves the answer `unknown`, because that is what is known then; its result counts whenever it comes.
 */
export async function checkMonitor(ctx: RequestScope, monitorId: string): Promise<ManualCheckResult> {
  const monitor = await requireMonitor(ctx, monitorId);
  const orders = await ordersOf(ctx, monitor);
  return runOnce(ctx, (stored) => ManualCheckResult.parse(stored), {
    claim: () => claim(ctx, monitor, orders),
    run: () => run(ctx, monitor, orders[0]),
  });
}

type Order = { record: AgentCommandRecord; ordered: RequestedAgentCheck };

/** The commands for those of the monitor's agents that are online. */
async function ordersOf(ctx: RequestScope, monitor: MonitorRecord): Promise<Order[]> {
  const agents = await listAgentsByIds(ctx.db, agentsOf(monitor));
  const online = agents.filter((agent) => statusAt(agent, ctx.now) === "online");
  return Promise.all(online.map((agent) => orderOf(ctx, monitor, agent.id)));
}

async function orderOf(ctx: RequestScope, monitor: MonitorRecord, agent_id: string): Promise<Order> {
  const record: AgentCommandRecord = {
    id: newId(),
    agent_id,
    type: "check_now",
    params: { monitor_id: monitor.id },
    created_at: ctx.now,
    acked_at: null,
    ok: null,
    result: null,
    error: null,
  };
  const after = asksEdge(monitor) ? 0 : await findNewestResultAt(ctx, { ...monitor, agent_id });
  return { record, ordered: { agent_id, command_id: record.id, after } };
}

async function claim(ctx: RequestScope, monitor: MonitorRecord, orders: readonly Order[]): Promise<void> {
  if (monitorType(monitor.type).follows !== undefined || (asksEdge(monitor) && !isScheduled(monitor))) {
    throw invalid("this monitor has no checks: its status comes from pushes, child monitors or its agent");
  }
  if (monitor.paused) throw conflict("the monitor is paused");
  // What an agent checks, it reaches from its own network.
  if (asksEdge(monitor)) await requireMonitorBudget(ctx, monitor, await getOwnerPlan(ctx, monitor.owner_id));
  const commands = orders.map(({ record }) => insertCommand(ctx.db, record));
  const [first] = orders;
  await commit(ctx, commands, {
    audit: monitorAudit(monitor, "checked", first ? { command_id: first.record.id } : {}),
  });
  wakeAgents(
    ctx.env,
    orders.map(({ ordered }) => ordered.agent_id),
  );
}

async function run(ctx: RequestScope, monitor: MonitorRecord, order: Order | undefined): Promise<ManualCheckResult> {
  if (asksEdge(monitor)) return checkNow(ctx, monitor);
  return order ? awaitAgentResult(ctx, monitor, order.ordered) : unknownBecause("the agent is offline", ctx.now);
}
