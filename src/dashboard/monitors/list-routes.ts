import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listRecentIntervals } from "../../data/metrics/read.ts";
import type { ListedMonitor } from "../../data/monitor-settings/read.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { listDayLatencies } from "../../features/latency/service.ts";
import { listMyMonitors } from "../../features/monitors/service.ts";
import type { MonitorDetail } from "../../features/monitors/view.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { listPageChoices, mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { isMuted } from "./detail-alerts.tsx";
import { ListQuery } from "./list-query.ts";
import { listView, type MonitorRow } from "./list-views.tsx";

const SHOWN_MAX = 50;
/** Of all rows together: a flapping monitor's strip may lack its oldest hours rather than slow the list down. */
const INTERVALS_MAX = 2_000;
const GROUPS_MAX = 500;

export const endpoints = [
  view({ path: "/app/monitors", summary: "List of monitors in the dashboard", query: ListQuery }, (c, { query }) =>
    showList(c, query),
  ),
];

async function showList(c: AppContext, query: ListQuery): Promise<Response> {
  const { ctx } = c.var;
  const [{ views, total }, pages, groups] = await Promise.all([
    listMyMonitors(ctx, undefined, { limit: SHOWN_MAX, offset: query.offset }, filterOf(query), query.sort),
    listPageChoices(ctx),
    groupVerbs.list(ctx, undefined, { limit: GROUPS_MAX, offset: 0 }),
  ]);
  const rows = await toRows(c, views);
  return showView(
    c,
    listView({
      now: ctx.now,
      query,
      rows,
      total,
      limit: SHOWN_MAX,
      pages: pages.map(({ id, name }) => ({ value: id, label: name })),
      groups: groups.rows.map(({ id, name, status_page_id }) => ({ value: id, label: name, page_id: status_page_id })),
    }),
  );
}

function filterOf({ q, status, type, tag, page, group }: ListQuery) {
  return {
    ...(q === undefined ? {} : { q }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(tag === undefined ? {} : { tag: [tag] }),
    ...(page === undefined ? {} : { status_page_id: [page] }),
    ...(group === undefined ? {} : { group_id: [group] }),
  };
}

/**
 * Costs three queries besides those of the list, one for each page of others, and one request to each object that keeps
 * latencies, however many monitors there are.
 */
async function toRows(c: AppContext, views: readonly MonitorDetail<ListedMonitor>[]): Promise<MonitorRow[]> {
  const { ctx } = c.var;
  const ids = views.map(({ record }) => record.id);
  const since = ctx.now - DAY_MS;
  const [recent, timeOf, latencies] = await Promise.all([
    listRecentIntervals(ctx.db, ids, { since, limit: INTERVALS_MAX }),
    readMaintenanceTime(ctx.db, ids, { since, now: ctx.now }),
    listDayLatencies(
      ctx,
      views.map(({ record }) => record),
    ),
  ]);
  const intervals = Map.groupBy(recent, ({ monitor_id }) => monitor_id);
  return Promise.all(
    views.map(async ({ record, target, latest }) => ({
      id: record.id,
      name: record.name,
      type: record.type,
      target,
      tags: record.tags,
      status: record.status,
      status_since: record.status_since,
      latency_ms: latest?.[2] ?? null,
      day: { points: latencies.pointsOf(record.id), range: latencies.range },
      last_check: latest?.[1] ?? null,
      intervals: intervals.get(record.id) ?? [],
      maintenance: timeOf(record.id),
      is_muted: isMuted({ record, now: ctx.now }),
      flapping: record.flapping,
      may_change: await mayDo(ctx, record, "monitors.write"),
    })),
  );
}
