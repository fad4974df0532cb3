import { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import { MONITOR_SORTS } from "../../contract/monitor.ts";
import { MONITOR_STATUSES, MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listRecentIntervals } from "../../data/metrics/read.ts";
import { type ListedMonitor, listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import { buildLatencySeries } from "../../domain/latency-series.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { rangeFor, readLatency } from "../../features/latency/service.ts";
import { listMyMonitors } from "../../features/monitors/service.ts";
import type { MonitorDetail } from "../../features/monitors/view.ts";
import { type AppContext, endpoint } from "../../http/endpoint.ts";
import { document, PUBLIC_ERRORS } from "../../http/responses.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { listPageChoices, mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { describeQuery, view } from "../view.ts";
import { isMuted } from "./detail-alerts.tsx";
import { listView, type MonitorRow } from "./list-views.tsx";
import { drawSparklines } from "./sparklines.ts";

const SHOWN_MAX = 50;
const OFFSET_MAX = 10_000;
/** Of all rows together: a flapping monitor's strip may lack its oldest hours rather than slow the list down. */
const INTERVALS_MAX = 2_000;
const GROUPS_MAX = 500;
/** A picture of a day changes little in this time. */
const SECONDS_KEPT = 300;
const PICTURES_AT_ONCE = 10;

const blank = (text: string | undefined) => (text?.trim() ? text.trim() : undefined);
/** Several values of one filter stand in the address as the API has them: `down,paused`. */
const listOf = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .transform((chosen) => chosen.split(","))
    .pipe(z.array(z.enum(values)))
    .optional()
    .catch(undefined);
const text = z.string().max(200).transform(blank).optional().catch(undefined);
export const ListQuery = z.object({
  q: text,
  status: listOf(MONITOR_STATUSES),
  type: listOf(MONITOR_TYPES),
  tag: text,
  page: z.uuid().optional().catch(undefined),
  group: z.uuid().optional().catch(undefined),
  sort: z.enum(MONITOR_SORTS).default("position").catch("position"),
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0).catch(0),
});
export type ListQuery = z.output<typeof ListQuery>;

export const endpoints = [
  view({ path: "/app/monitors", summary: "List of monitors in the dashboard", query: ListQuery }, (c, { query }) =>
    showList(c, query),
  ),

  endpoint(
    { at: ["root"], auth: "user", permission: null, audit: null, rate: "api" },
    {
      method: "get",
      path: "/app/monitors/latency.svg",
      tags: ["Dashboard"],
      summary: "Latencies of a day of the monitors of a list, in one picture",
      request: { query: describeQuery(ListQuery) },
      responses: { 200: document("The picture", "image/svg+xml"), ...PUBLIC_ERRORS },
    },
    async (c) => drawList(c.var.ctx, ListQuery.parse(c.req.query())),
  ),
];

/**
 * All rows share one request and one picture. Choice: the lines do not stand in the list itself. Each is read from the object
 * that keeps it, so that the list would wait for fifty of them, and ask them again whenever one of its rows changes; the
 * picture comes after the list and is kept for minutes.
 */
async function drawList(ctx: RequestScope, query: ListQuery): Promise<Response> {
  const place = { limit: SHOWN_MAX, offset: query.offset };
  const { views } = await listMyMonitors(ctx, undefined, place, filterOf(query), query.sort);
  const monitors = await listMonitorsByIds(
    ctx.db,
    views.map(({ record }) => record.id),
  );
  const lines = await mapConcurrently(monitors, PICTURES_AT_ONCE, async (monitor) => {
    const range = rangeFor(monitor, "24h", ctx.now);
    return { id: monitor.id, points: buildLatencySeries(await readLatency(ctx, monitor, range), range) };
  });
  return new Response(drawSparklines(lines, { from: ctx.now - DAY_MS, to: ctx.now }), {
    headers: {
      "Content-Type": "image/svg+xml",
      "Cache-Control": `private, max-age=${SECONDS_KEPT}`,
      "Content-Security-Policy": "default-src 'none'",
    },
  });
}

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

/** Costs three queries besides those of the list, and one for each page of others, however many monitors there are. */
async function toRows(c: AppContext, views: readonly MonitorDetail<ListedMonitor>[]): Promise<MonitorRow[]> {
  const { ctx } = c.var;
  const ids = views.map(({ record }) => record.id);
  const since = ctx.now - DAY_MS;
  const [recent, timeOf] = await Promise.all([
    listRecentIntervals(ctx.db, ids, { since, limit: INTERVALS_MAX }),
    readMaintenanceTime(ctx.db, ids, { since, now: ctx.now }),
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
      last_check: latest?.[1] ?? null,
      intervals: intervals.get(record.id) ?? [],
      maintenance: timeOf(record.id),
      is_muted: isMuted({ record, now: ctx.now }),
      flapping: record.flapping,
      may_change: await mayDo(ctx, record, "monitors.write"),
    })),
  );
}
