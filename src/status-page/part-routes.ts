import type { Context } from "hono";
import { IncidentHistoryQuery, PageIncidentParams, PageParams, ServiceQuery } from "../contract/public-page.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import { listOutages } from "../data/outages/read.ts";
import { listPastOccurrences } from "../data/public-page/maintenance.ts";
import { buildLatencySeries } from "../domain/latency-series.ts";
import { rangeFor, readLatency } from "../features/latency/service.ts";
import { readMetricPicture } from "../features/metric-widgets/service.ts";
import { type AppEnv, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { DAY_MS } from "../lib/durations.ts";
import { readDurations } from "./daily-uptime.ts";
import { drawLatency } from "./latency-chart.ts";
import { buildMaintenanceHistory, buildMaintenanceView } from "./maintenance-view.ts";
import { htmlOf, respondPartNotFound, respondWithError } from "./messages.ts";
import { findPublicMaintenance } from "./payload.ts";
import { loadPageForViewer, PAGE_ANSWERS, respond, respondWithPage, type VisiblePage } from "./responses.ts";
import { buildServiceView, type ServicePeriod } from "./service-view.ts";
import { renderMaintenanceHistory, renderMaintenancePage, renderServicePage } from "./views/parts.tsx";

/** Documents of a page about one service or one maintenance window, and its past maintenance. */
const tags = ["Public pages"];
const OUTAGE_DAYS = 90;
const OUTAGES_SHOWN = 50;
const OCCURRENCES_SHOWN = 50;
/** Of all services of the page together. */
const RESTARTS_MAX = 500;
const policy: EndpointPolicy = {
  at: ["root"],
  auth: "public",
  permission: null,
  audit: null,
  rate: "public",
  refusalPage: respondWithError,
};

export const endpoints = [
  endpoint(
    policy,
    {
      method: "get",
      path: "/status/{slug}/services/{id}",
      tags,
      summary: "Get a service of a public page as HTML",
      description:
        "Its status, uptime, response times and outages. Response times are absent where the page hides them.",
      request: { params: PageIncidentParams, query: ServiceQuery },
      responses: { 200: html("The service"), ...PAGE_ANSWERS },
    },
    (c) => respondWithPage(c, () => showService(c, { ...c.req.valid("param"), period: c.req.valid("query").period })),
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/status/{slug}/maintenance",
      tags,
      summary: "Get planned and past maintenance as HTML",
      request: { params: PageParams, query: IncidentHistoryQuery },
      responses: { 200: html("The maintenance"), ...PAGE_ANSWERS },
    },
    (c) => respondWithPage(c, () => showMaintenanceHistory(c, c.req.valid("param").slug, c.req.valid("query").before)),
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/status/{slug}/maintenance/{id}",
      tags,
      summary: "Get a public maintenance window as HTML",
      request: { params: PageIncidentParams },
      responses: { 200: html("The maintenance window"), ...PAGE_ANSWERS },
    },
    (c) => respondWithPage(c, () => showMaintenance(c, c.req.valid("param"))),
  ),
];

interface WantedService {
  slug: string;
  id: string;
  period: ServicePeriod;
}

async function showService(c: Context<AppEnv>, { slug, id, period }: WantedService) {
  const shown = await loadPageForViewer(c, slug);
  if (!shown) return undefined;
  const { payload, viewing } = shown;
  const monitor = payload.monitors.find((each) => each.id === id);
  if (!monitor) return respondPartNotFound(c, payload.page.name, viewing, viewing.texts.service);
  return respond(c, shown, {
    ...htmlOf(shown.payload.page),
    name: `service ${id} ${period}`,
    is_chosen: true,
    make: async () => {
      const facts = await loadFacts(c, shown, { id, period });
      return renderServicePage(buildServiceView(monitor, payload, { viewing, facts, period }));
    },
  });
}

async function loadFacts(c: Context<AppEnv>, shown: VisiblePage, { id, period }: Omit<WantedService, "slug">) {
  const { db } = c.var.ctx;
  const { viewing } = shown;
  const range = { from_at: viewing.as_of - DAY_MS, to_at: viewing.as_of };
  const monitor = await findMonitor(db, id);
  const [last_day, latency, metrics, { rows }] = await Promise.all([
    readDurations(db, id, range),
    monitor && shown.payload.page.show_latency ? loadLatency(c, { monitor, period, now: viewing.as_of }) : null,
    monitor ? loadMetrics(c, { monitor, period, now: viewing.as_of }) : null,
    listOutages(
      db,
      { monitor_id: id },
      { from: viewing.as_of - OUTAGE_DAYS * DAY_MS },
      { limit: OUTAGES_SHOWN, offset: 0 },
    ),
  ]);
  return {
    last_day,
    outages: rows.map(({ outage }) => outage),
    latency,
    metrics,
    restarts: metrics?.game ? await listRestarts(c, shown, id) : [],
  };
}

/** Occurrences of maintenance that concern the service and have begun. */
async function listRestarts(c: Context<AppEnv>, { payload, viewing }: VisiblePage, id: string) {
  const scope = { page_id: payload.page.id, before: viewing.as_of, ended_by: viewing.as_of, limit: RESTARTS_MAX };
  const past = await listPastOccurrences(c.var.ctx.db, scope);
  const windows = payload.maintenance.map(({ monitor_ids, upcoming }) => ({ monitor_ids, occurrences: upcoming }));
  const all = [...windows, ...past.map((occurrence) => ({ ...occurrence, occurrences: [occurrence] }))];
  return all.filter(({ monitor_ids }) => monitor_ids.includes(id)).flatMap(({ occurrences }) => occurrences);
}

interface Wanted {
  monitor: MonitorRecord;
  period: ServicePeriod;
  now: number;
}

/** What is missing is no reason to withhold the rest of the document. */
async function loadLatency(c: Context<AppEnv>, { monitor, period, now }: Wanted) {
  const range = rangeFor(monitor, period, now);
  try {
    const points = buildLatencySeries(await readLatency(c.var.ctx, monitor, range), range);
    return { from: range.from, chart: drawLatency(points, { ...range, to: now }) };
  } catch (error) {
    c.var.log.error("page: latency unavailable", error, { monitor_id: monitor.id });
    return { from: range.from, chart: null };
  }
}

async function loadMetrics(c: Context<AppEnv>, { monitor, period, now }: Wanted) {
  try {
    return await readMetricPicture(c.var.ctx, monitor, { period, now });
  } catch (error) {
    c.var.log.error("page: metrics unavailable", error, { monitor_id: monitor.id });
    return null;
  }
}

async function showMaintenance(c: Context<AppEnv>, { slug, id }: { slug: string; id: string }) {
  const shown = await loadPageForViewer(c, slug);
  if (!shown) return undefined;
  const { payload, viewing } = shown;
  const recent = payload.maintenance.find((window) => window.id === id);
  const response = await respond(c, shown, {
    ...htmlOf(shown.payload.page),
    name: `maintenance ${id}`,
    is_chosen: true,
    make: async () => {
      const scope = { page_id: payload.page.id, maintenance_id: id, timezone: payload.page.timezone };
      const window = recent ?? (await findPublicMaintenance(c.var.ctx.db, scope, viewing.as_of));
      const view = window && buildMaintenanceView(window, payload, viewing);
      return view && renderMaintenancePage(view);
    },
  });
  return response ?? respondPartNotFound(c, payload.page.name, viewing, viewing.texts.maintenance);
}

async function showMaintenanceHistory(c: Context<AppEnv>, slug: string, before: number | undefined) {
  const shown = await loadPageForViewer(c, slug);
  if (!shown) return undefined;
  const { payload, viewing } = shown;
  return respond(c, shown, {
    ...htmlOf(shown.payload.page),
    name: `maintenance before ${before ?? ""}`,
    is_chosen: before !== undefined,
    make: async () => {
      const scope = { page_id: payload.page.id, before: before ?? viewing.as_of, limit: OCCURRENCES_SHOWN };
      const past = await listPastOccurrences(c.var.ctx.db, { ...scope, ended_by: viewing.as_of });
      return renderMaintenanceHistory(
        buildMaintenanceHistory(past, payload, { viewing, limit: OCCURRENCES_SHOWN, before }),
      );
    },
  });
}
