import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findEarlierAnswer } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { requireManagedPage, requirePage } from "../../access/pages.ts";
import type { UserPrincipal } from "../../access/principal.ts";
import { requireUsableAgent } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitor } from "../../checks/projection.ts";
import { betaRequired, conflict, invalid, planLimit } from "../../contract/errors.ts";
import { agentsOf } from "../../contract/location.ts";
import { type MigrationRequest, MigrationResult } from "../../contract/monitor-migration.ts";
import type { AgentRecord } from "../../data/agents/read.ts";
import { countPageRules, noteMetricRules } from "../../data/event-rules/write.ts";
import { haveMonitorsChanged, listChildrenOf, REFERENCES } from "../../data/monitor-migration/read.ts";
import { moveMonitors } from "../../data/monitor-migration/write.ts";
import { countMonitors, hasMonitors, listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { servesPage } from "../../domain/agent-status.ts";
import { planMigration } from "../../domain/monitor-migration.ts";
import { findPlanViolation, PLAN_LIMITS } from "../../domain/plans.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { monitorType } from "../../probes/registry.ts";

/** Objects that are synced within the request; the sweep syncs the others. */
const SYNCED_MAX = 50;
const SYNCED_AT_ONCE = 6;

interface Move {
  source: StatusPageRecord;
  target: StatusPageRecord;
  monitors: MonitorRecord[];
  detached: string[];
}

/** Moves monitors to another page of any owner in one batch; the caller is admin of both. */
export async function migrateMonitors(
  ctx: RequestScope,
  pageId: string,
  input: MigrationRequest,
): Promise<MigrationResult> {
  const earlier = await findEarlierAnswer(ctx, (stored) => MigrationResult.parse(stored));
  if (earlier) return earlier;
  const source = await requirePage(ctx, pageId);
  const target = await requireManagedPage(ctx, input.target_status_page_id);
  if (source.id === target.id) throw invalid("target_status_page_id must be another page");
  const move = { source, target, ...(await findFamily(ctx, source, input.monitor_ids)) };
  const agentIds = new Set(move.monitors.flatMap(agentsOf));
  if (source.owner_id === target.owner_id) {
    for (const id of agentIds) requireServed(target, await requireUsableAgent(ctx, id));
  }
  const guards = source.owner_id === target.owner_id ? [] : await requireRoom(ctx, move);
  const ids = move.monitors.map(({ id }) => id);
  const found = await Promise.all(REFERENCES.map((reference) => reference.find?.(ctx.db, ids)));
  const result: MigrationResult = {
    moved: ids.length,
    detached_children: move.detached,
    removed_event_rules: found.flatMap((removed) => removed?.removed_event_rules ?? []),
    removed_maintenance_targets: found.flatMap((removed) => removed?.removed_maintenance_targets ?? []),
  };
  await write(ctx, move, result, guards);
  await syncObjects(ctx, move);
  return result;
}

/** The chosen monitors with the members of those that are composites. */
async function findFamily(ctx: RequestScope, source: StatusPageRecord, chosenIds: readonly string[]) {
  const chosen = await listMonitorsByIds(ctx.db, [...new Set(chosenIds)]);
  const onPage = new Set(chosen.filter(({ status_page_id }) => status_page_id === source.id).map(({ id }) => id));
  const foreign = chosenIds.findIndex((id) => !onPage.has(id));
  if (foreign >= 0) throw invalid(`monitor_ids[${foreign}] must name a monitor of the status page`);
  const members = await listChildrenOf(ctx.db, [...onPage]);
  const { moved, detached } = planMigration(chosen, members);
  const byId = new Map([...chosen, ...members].map((monitor) => [monitor.id, monitor]));
  return { monitors: moved.map((id) => byId.get(id)).filter((monitor) => monitor !== undefined), detached };
}

function requireServed(target: StatusPageRecord, agent: AgentRecord): void {
  if (!servesPage(agent, target.id)) throw invalid(`agent "${agent.name}" serves its own status page alone`);
}

/** What comes to another account has to fit into that account's plan, and leaves the agents of the old one behind. */
async function requireRoom(ctx: RequestScope, { target, monitors }: Move): Promise<Guard[]> {
  const owner = await getOwner(ctx, target.owner_id);
  for (const monitor of monitors) requireIncluded(owner, monitor);
  const isRun = monitors.find((monitor) => agentsOf(monitor).length > 0);
  if (isRun) throw invalid(`monitor "${isRun.name}" is run by an agent, which cannot follow it to another account`);
  const limit = PLAN_LIMITS[owner.plan].monitors;
  if (limit === null) return [];
  const error = planLimit(`the ${owner.plan} plan of the target page's owner includes at most ${limit} monitors`);
  const roomFor = limit - monitors.length;
  if ((await countMonitors(ctx.db, owner.user_id)) > roomFor) throw error;
  return [{ name: "monitors", when: hasMonitors(owner.user_id, roomFor + 1), error }];
}

function requireIncluded({ plan, beta }: UserPrincipal, monitor: MonitorRecord): void {
  const type = monitorType(monitor.type);
  const excess = findPlanViolation(plan, { ...monitor, type_plan: type.plan });
  if (excess !== null) throw planLimit(`monitor "${monitor.name}" does not fit: ${excess}`);
  if (type.is_beta && !beta) {
    throw betaRequired(`${monitor.type} monitors are in beta and not enabled for the target page's owner`);
  }
}

async function write(
  ctx: RequestScope,
  { source, target, monitors, detached }: Move,
  result: MigrationResult,
  room: Guard[],
) {
  const monitor_ids = monitors.map(({ id }) => id);
  const statements = [
    ...moveMonitors(ctx.db, { from: source.id, to: target, monitor_ids, detached, now: ctx.now }),
    ...REFERENCES.map((reference) => reference.remove(ctx.db, monitor_ids)),
    ...countPageRules(ctx.db, source.id),
    noteMetricRules(ctx.db, monitor_ids),
    ...[source, target].map((page) => bumpPageVersion(ctx.db, page.id, ctx.now)),
  ];
  await commit(ctx, statements, {
    audit: {
      owner_id: source.owner_id,
      status_page_id: source.id,
      target_type: "status_page",
      target_id: target.id,
      summary: `moved ${monitors.length} monitors from "${source.name}" to "${target.name}"`,
      data: { monitor_ids, ...result },
    },
    answer: result,
    guards: [
      {
        name: "stale",
        when: haveMonitorsChanged(source.id, monitor_ids),
        error: conflict("the monitors were changed by another request, reload them and try again"),
      },
      ...room,
    ],
    conflicts: { "monitors.external_key": conflict("external_key of a monitor is taken on the target page's account") },
  });
}

/**
 * Syncs the objects of moved monitors, and composites that lost a child. Failures here do not undo the move: the sweep
 * syncs these objects again.
 */
async function syncObjects(ctx: RequestScope, { monitors, detached }: Move): Promise<void> {
  const left = monitors.filter(({ id }) => detached.includes(id)).map(({ parent_monitor_id }) => parent_monitor_id);
  const synced = [
    ...[...new Set(left)].filter((id) => id !== null).map((id) => ({ id, version: 0 })),
    ...monitors.map(({ id, config_version }) => ({ id, version: config_version + 1 })),
  ];
  await mapConcurrently(synced.slice(0, SYNCED_MAX), SYNCED_AT_ONCE, async ({ id, version }) => {
    try {
      await syncMonitor(ctx, id, version);
    } catch (error) {
      ctx.log.error("monitor object sync failed", error, { monitor_id: id });
    }
  });
}
