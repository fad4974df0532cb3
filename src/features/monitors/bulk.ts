import { commit } from "../../access/commit.ts";
import { findEarlierAnswer } from "../../access/idempotency.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { viewerOf } from "../../access/pages.ts";
import { preloadMonitors, requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitors } from "../../checks/reconcile.ts";
import { ApiError, invalid } from "../../contract/errors.ts";
import { BULK_MAX, type BulkAction, BulkResult } from "../../contract/monitor.ts";
import type { Statement } from "../../data/db.ts";
import { listWindowsLosingAll } from "../../data/maintenance/read.ts";
import { areChanged, listMonitors, listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import { deleteMonitors, pauseMonitors } from "../../data/monitor-settings/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { NO_ENDS, planDeletion } from "../../events/deleted-monitors.ts";
import { describeLastTarget, targetsGuard } from "../maintenance/last-targets.ts";
import { checkSoon, refreshAgents, syncDeletedMonitors } from "./after-commit.ts";
import { CONFLICTS, circleGuard, locationsGuard } from "./create.ts";
import { releasePlacement } from "./placement.ts";
import { gateUpdate } from "./plan-gate.ts";
import type { MonitorBulk } from "./schemas.ts";
import { isUnplaced } from "./service.ts";
import { isCheckDue, type PlannedChange, planChange, RACED } from "./update.ts";

const VERBS = { pause: "paused", resume: "resumed", delete: "deleted", update: "changed" } as const;
const EVENTS = {
  pause: "monitor.paused",
  resume: "monitor.resumed",
  delete: "monitor.deleted",
  update: "monitor.updated",
} as const;

/** What happens to one of the monitors: its record before and after, undefined when it is deleted. */
interface Item {
  before: MonitorRecord;
  after: MonitorRecord | undefined;
  statements: Statement[];
  dependencies?: PlannedChange["dependencies"];
}

/**
 * Does the same to up to a hundred monitors in one transaction. Each is decided by itself; those that may not or cannot be
 * changed are left and listed with the reason.
 */
export async function changeMonitors(ctx: RequestScope, request: MonitorBulk): Promise<BulkResult> {
  const earlier = await findEarlierAnswer(ctx, (stored) => BulkResult.parse(stored));
  if (earlier) return earlier;
  const ids = await idsOf(ctx, request);
  await preloadMonitors(ctx, ids);
  const items: Item[] = [];
  const failed: BulkResult["failed"] = [];
  for (const id of ids) {
    try {
      items.push(await planItem(ctx, await requireMonitor(ctx, id), request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed.push({ id, error: error.message });
    }
  }
  const { left, kept } = request.action === "delete" ? await keepLastTargets(ctx, items) : { left: items, kept: [] };
  const result = { updated: left.length, failed: [...failed, ...kept] };
  if (left.length > 0) await commitAll(ctx, left, { action: request.action, result });
  await followUp(ctx, left);
  return result;
}

/** Monitors without which a window would cover nothing any more stay, all that it names. */
async function keepLastTargets(ctx: RequestScope, items: readonly Item[]) {
  const windows = await listWindowsLosingAll(ctx.db, { monitor_ids: items.map(({ before }) => before.id) });
  const windowOf = (id: string) => windows.find(({ monitor_ids }) => monitor_ids.includes(id));
  return {
    left: items.filter(({ before }) => !windowOf(before.id)),
    kept: items.flatMap(({ before: { id } }) => {
      const window = windowOf(id);
      return window ? [{ id, error: describeLastTarget("monitor", window) }] : [];
    }),
  };
}

async function idsOf(ctx: RequestScope, { ids, filter }: MonitorBulk): Promise<string[]> {
  if (!filter) return [...new Set(ids)];
  const scope = { visible_to: await viewerOf(ctx) };
  const { rows, total } = await listMonitors(ctx.db, scope, { limit: BULK_MAX, offset: 0 }, filter);
  if (total > BULK_MAX) throw invalid(`filter matches ${total} monitors, at most ${BULK_MAX} are changed at once`);
  return rows.map(({ id }) => id);
}

async function planItem(
  ctx: RequestScope,
  before: MonitorRecord,
  { action, changes = {} }: MonitorBulk,
): Promise<Item> {
  if (action === "delete") return { before, after: undefined, statements: releasePlacement(ctx, before) };
  // A monitor that has no place in the schedule is placed when it is resumed, which takes a whole change.
  const isPlanned = action === "update" || (action === "resume" && before.paused && isUnplaced(before));
  if (isPlanned) {
    const body = action === "update" ? changes : { paused: false };
    await gateUpdate(ctx, body, { id: before.id });
    const { changed, statements, dependencies } = await planChange(ctx, before, body);
    return { before, after: changed, statements, dependencies };
  }
  const paused = action === "pause";
  const version = before.config_version + (before.paused === paused ? 0 : 1);
  return { before, after: { ...before, paused, config_version: version }, statements: [] };
}

async function commitAll(
  ctx: RequestScope,
  items: readonly Item[],
  { action, result }: { action: BulkAction; result: BulkResult },
): Promise<void> {
  const [first] = items;
  if (!first) return;
  const monitors = items.map(({ before }) => before);
  const ids = monitors.map(({ id }) => id);
  const pages = new Set(
    items
      .flatMap(({ before, after }) => [before.status_page_id, after?.status_page_id ?? null])
      .filter((id) => id !== null),
  );
  const ends = action === "delete" ? await planDeletion(ctx, monitors) : NO_ENDS;
  const statements = [
    ...ends.publication.statements,
    ...items.flatMap((item) => item.statements),
    ...togetherOf(ctx, action, ids),
    ...[...pages].map((pageId) => bumpPageVersion(ctx.db, pageId, ctx.now)),
  ];
  const { owner_id, status_page_id } = first.before;
  await commit(ctx, statements, {
    audit: {
      owner_id,
      status_page_id,
      target_type: "monitor",
      target_id: first.before.id,
      summary: `${VERBS[action]} ${items.length === 1 ? "1 monitor" : `${items.length} monitors`} at once`,
      data: { action, monitor_ids: ids },
    },
    audit_each: monitors.map((monitor) => ({ ...monitorAudit(monitor, VERBS[action]), event_type: EVENTS[action] })),
    guards: [
      { name: "stale", when: areChanged(monitors), error: RACED },
      ...circleGuard(items.flatMap(({ dependencies }) => dependencies ?? [])),
      ...(action === "delete" ? [targetsGuard({ monitor_ids: ids })] : []),
      ...(action === "update" ? locationsGuard({ owner_id, locations: locationsOf(items) }) : []),
      ...ends.guards,
    ],
    conflicts: CONFLICTS,
    answer: result,
  });
  await ends.publication.wake();
}

const locationsOf = (items: readonly Item[]) => [...new Set(items.flatMap(({ after }) => after?.locations ?? []))];

function togetherOf(ctx: RequestScope, action: BulkAction, ids: readonly string[]): Statement[] {
  switch (action) {
    case "pause":
    case "resume":
      return [pauseMonitors(ctx.db, ids, action === "pause", ctx.now)];
    case "delete":
      return deleteMonitors(ctx.db, ids, ctx.now);
    case "update":
      return [];
  }
}

/** Passes what was committed to the objects. What fails here, the sweeps do later. */
async function followUp(ctx: RequestScope, items: readonly Item[]): Promise<void> {
  const deleted = items.filter(({ after }) => !after).map(({ before }) => before.id);
  if (deleted.length > 0) await syncDeletedMonitors(ctx, deleted);
  const left = items.flatMap(({ before, after }) =>
    before.parent_monitor_id !== (after?.parent_monitor_id ?? null) ? (before.parent_monitor_id ?? []) : [],
  );
  const kept = items.flatMap(({ after }) => after?.id ?? []);
  try {
    await syncMonitors(ctx, [...new Set([...kept, ...left])]);
  } catch (error) {
    ctx.log.error("monitor object sync failed", error);
  }
  const fresh = new Map((await listMonitorsByIds(ctx.db, kept)).map((monitor) => [monitor.id, monitor]));
  for (const { before } of items) {
    const after = fresh.get(before.id);
    if (after && isCheckDue(before, after)) await checkSoon(ctx, after);
  }
  refreshAgents(ctx, [...items.map(({ before }) => before), ...fresh.values()]);
}
