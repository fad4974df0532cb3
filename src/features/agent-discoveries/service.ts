import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireVisibleAgent, requireVisibleDiscovery, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import type { DiscoveryMonitor } from "../../contract/discovery.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { listReportsPage } from "../../data/agent-reports/read.ts";
import { watches, watchSettingsOf } from "../../domain/discovery.ts";
import { discoveryOf } from "../agents/present-discovery.ts";
import { listVisibleMonitors } from "../agents/service.ts";
import { createMonitor } from "../monitors/create.ts";
import { gateCreation } from "../monitors/plan-gate.ts";
import { isPrivateTarget } from "../monitors/target.ts";
import { loadMonitorDetail, type MonitorDetail } from "../monitors/view.ts";

/** With the monitors of the agent that the caller may see. */
export async function listDiscoveries(ctx: RequestScope, agentId: string, page: Pagination) {
  const agent = await requireVisibleAgent(ctx, agentId);
  const [{ rows, total }, monitors] = await Promise.all([
    listReportsPage(ctx.db, { agent_id: agent.id, kind: "discovery" }, page),
    listVisibleMonitors(ctx, agent),
  ]);
  return { rows, total, monitors };
}

/** Makes the monitor by which the agent watches what it found. */
export async function watchDiscovery(
  ctx: RequestScope,
  at: { agent_id: string; discovery_id: string },
  wanted: DiscoveryMonitor,
): Promise<MonitorDetail> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return loadMonitorDetail(ctx, await requireVisibleMonitor(ctx, earlier));
  const agent = await requireVisibleAgent(ctx, at.agent_id);
  const found = await requireVisibleDiscovery(ctx, at.discovery_id);
  if (found.agent_id !== agent.id) throw notFound("discovery");
  const discovery = discoveryOf(found.data);
  const settings = watchSettingsOf(discovery);
  const type = wanted.type ?? settings.type;
  const target = wanted.target ?? settings.target;
  if (type === null) throw invalid("type is required: the discovery names none");
  const isAsFound = type === settings.type && target === settings.target;
  const known = isAsFound && (await listVisibleMonitors(ctx, agent)).find((monitor) => watches(monitor, settings));
  if (known) throw conflict(`the monitor "${known.name}" already watches this`);
  const input: MonitorCreate = {
    name: wanted.name ?? discovery.name.slice(0, NAME_LENGTH_MAX),
    type,
    target,
    agent_id: agent.id,
    status_page_id: wanted.status_page_id === undefined ? agent.status_page_id : wanted.status_page_id,
    ...(wanted.group_id && { group_id: wanted.group_id }),
    ...(wanted.interval !== undefined && { interval: wanted.interval }),
    ...(wanted.paused !== undefined && { paused: wanted.paused }),
    ...(isAsFound && settings.components.length > 0 && { components: settings.components }),
    ...verificationOf(wanted, isAsFound && settings.is_unverified && isPrivateTarget(type, target)),
  };
  await gateCreation(ctx, input);
  return createMonitor(ctx, input);
}

/** A certificate of a private address is rarely one that anybody can verify; that of a public one always has to be. */
function verificationOf({ verify_ssl }: DiscoveryMonitor, isUnverified: boolean): { verify_ssl?: boolean } {
  if (verify_ssl !== undefined) return { verify_ssl };
  return isUnverified ? { verify_ssl: false } : {};
}
