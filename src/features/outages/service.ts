import { maySeeSecrets } from "../../access/monitor-secrets.ts";
import { requirePage } from "../../access/pages.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { agentLocation, agentOf, agentsAmong } from "../../contract/location.ts";
import { regionName } from "../../contract/monitor-values.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { listAgentsByIds } from "../../data/agents/read.ts";
import { listOutages, listTransitions, type TimeRange } from "../../data/outages/read.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { answerInTime } from "../../platform/object-timeout.ts";

type Wanted = TimeRange & Pagination;

/** Outages of a monitor that overlap the range, the latest first. */
export async function listMonitorOutages(ctx: RequestScope, monitorId: string, wanted: Wanted) {
  const { id: monitor_id } = await requireMonitor(ctx, monitorId);
  return withoutInsides(ctx, await listOutages(ctx.db, { monitor_id }, wanted, wanted));
}

/** Likewise of all monitors of a page. Choice: an outage belongs to the page that its monitor was on when it began. */
export async function listPageOutages(ctx: RequestScope, pageId: string, wanted: Wanted) {
  const { id: status_page_id } = await requirePage(ctx, pageId);
  return withoutInsides(ctx, await listOutages(ctx.db, { status_page_id }, wanted, wanted));
}

/**
 * What each location saw of the first failure and of the first success after it, and the last good one before the range; by
 * location, oldest first.
 */
export async function listEvidence(ctx: RequestScope, monitorId: string, { from = 0, to }: TimeRange) {
  const monitor = await requireMonitor(ctx, monitorId);
  const query = { from, to: to ?? Number.MAX_SAFE_INTEGER };
  const found = await answerInTime(monitorObject(ctx.env, monitor.id).observations(monitor.id, query));
  const agents = agentsAmong(found.map(({ location }) => location));
  const [named, seesInside] = await Promise.all([listAgentsByIds(ctx.db, agents), maySeeSecrets(ctx, monitor)]);
  const names = new Map(named.map(({ id, name }) => [agentLocation(id), name]));
  return found.map(({ text, ...each }) => {
    const observation: Observation = JSON.parse(text);
    const isInside = monitor.agent_id !== null || agentOf(each.location) !== null;
    const location_name = names.get(each.location) ?? nameOfLocation(each.location);
    return { ...each, location_name, observation: isInside && !seesInside ? outsideOf(observation) : observation };
  });
}

function nameOfLocation(location: string): string {
  if (agentOf(location) !== null) return "An agent that is gone";
  return location === DEFAULT_REGION ? "This service" : regionName(location);
}

/** Of what an agent saw, no more than that it answered and how long that took. */
function outsideOf({ request, response, phases }: Observation): Observation {
  return {
    ...(request && { request: { ...request, headers: [] } }),
    ...(response && { response: { ...response, headers: [] } }),
    ...(phases && { phases }),
  };
}

/** Every change of a monitor's status, the latest first. */
export async function listStatusChanges(ctx: RequestScope, monitorId: string, wanted: Wanted) {
  return listTransitions(ctx.db, (await requireMonitor(ctx, monitorId)).id, wanted, wanted);
}

type Listed = Awaited<ReturnType<typeof listOutages>>;

/** What a host of a private network answered is for those who may read secrets. */
async function withoutInsides(ctx: RequestScope, { rows, total }: Listed): Promise<Listed> {
  const visible = rows.map(async (row) => {
    const { evidence } = row.outage;
    const isInside = row.monitor.agent_id !== null || evidence?.from_agent === true;
    if (!evidence || !isInside || (await maySeeSecrets(ctx, row.monitor))) return row;
    return { ...row, outage: { ...row.outage, evidence: { ...evidence, excerpt: null } } };
  });
  return { rows: await Promise.all(visible), total };
}
