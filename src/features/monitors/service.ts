import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { requireVisiblePage, viewerOf } from "../../access/pages.ts";
import { requireMonitor, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { asksEdge } from "../../contract/location.ts";
import type { MonitorFilter, MonitorSort, OrderList } from "../../contract/monitor.ts";
import type { Pagination } from "../../contract/pagination.ts";
import {
  countMonitorsByPlace,
  isChanged,
  listMonitorNames,
  listMonitors,
  listMonitorsByIds,
  type MonitorPlace,
} from "../../data/monitor-settings/read.ts";
import { deleteMonitor, updateMonitor } from "../../data/monitor-settings/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { monitors as monitorTable } from "../../data/monitors/table.ts";
import { positionRows } from "../../data/rows.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { planDeletion } from "../../events/deleted-monitors.ts";
import { requireOtherTargets } from "../maintenance/last-targets.ts";
import {
  checkSoon,
  refreshAgents,
  syncDeletedMonitors,
  syncMonitorObject,
  syncParentComposite,
} from "./after-commit.ts";
import { readFields } from "./fields.ts";
import { isScheduled, releasePlacement } from "./placement.ts";
import { changeMonitor, RACED } from "./update.ts";
import { loadMonitorDetail, loadMonitorDetails, type MonitorDetail } from "./view.ts";

/** For features that manage monitors of one type. */
export { gateUpdate } from "./plan-gate.ts";
export { changeMonitor } from "./update.ts";

/** The monitors of one page, whose visibility was checked before, or all that the caller sees. */
export async function listMyMonitors(
  ctx: RequestScope,
  pageId: string | undefined,
  page: Pagination,
  filter: MonitorFilter = {},
  sort?: MonitorSort,
) {
  const scope = pageId === undefined ? { visible_to: await viewerOf(ctx) } : { status_page_id: pageId };
  const { rows, total } = await listMonitors(ctx.db, scope, page, filter, sort);
  return { views: await loadMonitorDetails(ctx, rows), total };
}

/** How many of the caller's monitors have which status in each of the places. */
export async function countMyMonitors(
  ctx: RequestScope,
  filter: MonitorFilter,
  places: { by: "page" | "group"; places: readonly MonitorPlace[] },
) {
  return countMonitorsByPlace(ctx.db, { visible_to: await viewerOf(ctx) }, filter, places);
}

/** As many services of a page are offered in a choice. */
const NAMED_MAX = 500;

/** What names the services of a page that the caller sees. */
export async function listServices(ctx: RequestScope, pageId: string) {
  const { page } = await requireVisiblePage(ctx, pageId);
  return listMonitorNames(ctx.db, page.id, NAMED_MAX);
}

export async function getMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorDetail> {
  return loadMonitorDetail(ctx, await requireVisibleMonitor(ctx, monitorId));
}

export async function removeMonitor(ctx: RequestScope, monitorId: string): Promise<void> {
  const monitor = await requireMonitor(ctx, monitorId);
  const ends = await planDeletion(ctx, [monitor]);
  const statements = [
    ...ends.publication.statements,
    ...deleteMonitor(ctx.db, monitor.id, ctx.now),
    ...releasePlacement(ctx, monitor),
    ...bumpPage(ctx, monitor),
  ];
  const guards = [await requireOtherTargets(ctx, { kind: "monitor", id: monitor.id }), ...ends.guards];
  await commit(ctx, statements, { audit: monitorAudit(monitor, "deleted"), guards });
  await ends.publication.wake();
  await syncDeletedMonitors(ctx, [monitor.id]);
  await syncParentComposite(ctx, monitor);
  refreshAgents(ctx, [monitor]);
}

export async function pauseMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorDetail> {
  return loadMonitorDetail(ctx, await setPaused(ctx, await requireMonitor(ctx, monitorId), true));
}

/** One whose agent stayed with another account is placed like a new one, or refused where it needs an agent. */
export async function resumeMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorDetail> {
  const monitor = await requireMonitor(ctx, monitorId);
  if (monitor.paused && isUnplaced(monitor)) return changeMonitor(ctx, monitorId, { paused: false });
  return loadMonitorDetail(ctx, await setPaused(ctx, await requireMonitor(ctx, monitorId), false));
}

async function setPaused(ctx: RequestScope, monitor: MonitorRecord, paused: boolean): Promise<MonitorRecord> {
  if (monitor.paused === paused || (await findIdempotentResult(ctx)) !== undefined) return monitor;
  const change = { paused, config_version: monitor.config_version + 1, updated_at: ctx.now };
  await commit(ctx, [updateMonitor(ctx.db, monitor.id, change), ...bumpPage(ctx, monitor)], {
    audit: monitorAudit(monitor, paused ? "paused" : "resumed"),
    guards: [{ name: "stale", when: isChanged(monitor), error: RACED }],
  });
  const changed = { ...monitor, ...change };
  const fresh = (await syncMonitorObject(ctx, changed)) ?? changed;
  await checkSoon(ctx, fresh);
  refreshAgents(ctx, [fresh]);
  return fresh;
}

/** Access to every monitor was checked before. */
export async function orderMonitors(ctx: RequestScope, order: OrderList): Promise<number> {
  const ids = [...new Set(order.map(({ id }) => id))];
  if (ids.length < order.length) throw invalid("monitors must not name a monitor twice");
  const monitors = await listMonitorsByIds(ctx.db, ids);
  const pages = new Set(monitors.map((monitor) => monitor.status_page_id).filter((id) => id !== null));
  const [first] = monitors;
  if (!first) return 0;
  const bumps = [...pages].map((pageId) => bumpPageVersion(ctx.db, pageId, ctx.now));
  await commit(ctx, [positionRows(ctx.db, monitorTable, order, ctx.now), ...bumps], {
    audit: {
      owner_id: first.owner_id,
      target_type: "monitor",
      target_id: first.id,
      status_page_id: first.status_page_id,
      summary: `ordered ${monitors.length} monitors`,
      data: { monitor_ids: ids },
    },
  });
  return monitors.length;
}

/** Nothing would check it, although it is to be checked. */
export function isUnplaced(monitor: MonitorRecord): boolean {
  if (!asksEdge(monitor) || isScheduled(monitor)) return false;
  const { source } = readFields(monitor.type, { ...monitor.options, interval: monitor.interval });
  return source === "edge" || source === "agent";
}

function bumpPage(ctx: RequestScope, { status_page_id }: MonitorRecord) {
  return status_page_id === null ? [] : [bumpPageVersion(ctx.db, status_page_id, ctx.now)];
}
