import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listRecentIntervals } from "../../data/metrics/read.ts";
import type { ListedMonitor, MonitorPlace } from "../../data/monitor-settings/read.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { listDayLatencies } from "../../features/latency/service.ts";
import { countMyMonitors, listMyMonitors } from "../../features/monitors/service.ts";
import type { MonitorDetail } from "../../features/monitors/view.ts";
import { listMyViews } from "../../features/saved-views/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { pathAfter } from "../form.ts";
import { redirectTo } from "../responses.ts";
import { listPageChoices, mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, view } from "../view.ts";
import { words } from "../words.ts";
import { columnsCookie, hiddenColumns } from "./columns.ts";
import { isMuted } from "./detail-alerts.tsx";
import { type MonitorGroup, placeKey } from "./list-groups.tsx";
import { ListQuery, severalIn } from "./list-query.ts";
import { listView, type MonitorRow } from "./list-views.tsx";

const SHOWN_MAX = 50;
/** Of all rows together: a flapping monitor's strip may lack its oldest hours rather than slow the list down. */
const INTERVALS_MAX = 2_000;
const GROUPS_MAX = 500;

export const endpoints = [
  view({ path: "/app/monitors", summary: "List of monitors in the dashboard", query: ListQuery }, (c, { query }) => {
    const address = severalIn(c.req.query());
    return address === null ? showList(c, query) : redirectTo(address);
  }),

  action(
    { path: "/app/monitors/columns", summary: "Choose the columns of the list of monitors, in this browser" },
    (c, form) => {
      const back = pathAfter(form.get("back") ?? "/app/monitors", c.var.publicUrl);
      return redirectTo(back, columnsCookie(form.getAll("column")));
    },
  ),
];

async function showList(c: AppContext, query: ListQuery): Promise<Response> {
  const { ctx } = c.var;
  const [{ views, total }, pages, groups, saved] = await Promise.all([
    listMyMonitors(ctx, undefined, { limit: SHOWN_MAX, offset: query.offset }, filterOf(query), query.sort),
    listPageChoices(ctx),
    groupVerbs.list(ctx, undefined, { limit: GROUPS_MAX, offset: 0 }),
    listMyViews(ctx),
  ]);
  const [rows, places] = await Promise.all([
    toRows(c, views, query.sort === "page" ? "page" : "group"),
    query.sort === "page" || query.sort === "group"
      ? groupsOf(c, { query, by: query.sort, views, pages, groups: groups.rows })
      : [],
  ]);
  return showView(
    c,
    listView({
      now: ctx.now,
      query,
      rows,
      places,
      hidden: hiddenColumns(c.req.raw),
      saved,
      total,
      limit: SHOWN_MAX,
      pages: pages.map(({ id, name }) => ({ value: id, label: name })),
      groups: groups.rows.map(({ id, name, status_page_id }) => ({ value: id, label: name, page_id: status_page_id })),
    }),
  );
}

interface Grouped {
  query: ListQuery;
  by: "page" | "group";
  views: readonly MonitorDetail<ListedMonitor>[];
  pages: readonly { id: string; name: string }[];
  groups: readonly { id: string; name: string }[];
}

/** The places of what is shown, in its order, with what all of each place is like, shown or not. */
async function groupsOf(c: AppContext, { query, by, views, pages, groups }: Grouped): Promise<MonitorGroup[]> {
  const text = words("dashboard-monitors").list;
  const placeOf = ({ record }: MonitorDetail<ListedMonitor>) => placeIn(record, by);
  const places = new Map(views.map((each) => [placeKey(placeOf(each)), placeOf(each)]));
  const counted = await countMyMonitors(c.var.ctx, filterOf(query), { by, places: [...places.values()] });
  const nameIn = (list: Grouped["pages"], id: string) => list.find((each) => each.id === id)?.name;
  return [...places.values()].map((place) => {
    const page = place.page === "" ? text.no_page : (nameIn(pages, place.page) ?? text.a_page);
    const group = place.group === "" ? text.no_group : (nameIn(groups, place.group) ?? text.a_group);
    const name = by === "page" || place.page === "" ? page : `${page}: ${group}`;
    const own = counted.filter((each) => placeKey(each) === placeKey(place));
    return { place, name, counts: Object.fromEntries(own.map(({ status, count }) => [status, count])) };
  });
}

function placeIn({ status_page_id, group_id }: ListedMonitor, by: "page" | "group"): MonitorPlace {
  return { page: status_page_id ?? "", group: by === "page" ? "" : (group_id ?? "") };
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
async function toRows(
  c: AppContext,
  views: readonly MonitorDetail<ListedMonitor>[],
  by: "page" | "group",
): Promise<MonitorRow[]> {
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
      place: placeIn(record, by),
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
