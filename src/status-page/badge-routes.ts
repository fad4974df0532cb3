import type { Context } from "hono";
import type { z } from "zod";
import { requireRate } from "../access/rate-limit.ts";
import { Badge, BadgeParams, type BadgePeriod, BadgeQuery } from "../contract/badge.ts";
import { notFound } from "../contract/errors.ts";
import type { PagePayload, PublicMonitor } from "../contract/public-page.ts";
import { findBadgeSource } from "../data/public-page/read.ts";
import { addTallies, meanOf } from "../domain/baseline.ts";
import { latencyRange } from "../domain/latency-series.ts";
import { computeShownUptime, sumStatusDurations } from "../domain/uptime.ts";
import { type AppEnv, type Endpoint, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { document, json, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import { englishTexts } from "../language/texts.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { type BadgeSource, cacheBadgeSource, getBadgeSource } from "../platform/badge-cache.ts";
import { readObjectLatency } from "../platform/latency-history.ts";
import { buildLatencyBadge, buildStatusBadge, buildUptimeBadge, renderBadge } from "./badges.ts";
import { readDurations } from "./daily-uptime.ts";
import { talliesUntil } from "./extend-to-now.ts";
import { createFormats } from "./format.ts";
import { monitorsInMaintenance } from "./maintenance.ts";
import { buildMonitorView, duringMaintenance } from "./monitor-view.ts";
import { loadPageForViewer, renderOnce, respond, type VisiblePage } from "./responses.ts";

/** One monitor of a public page as a picture, or as the JSON that shields.io draws. */

const tags = ["Public pages"];
const policy: EndpointPolicy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" };
const refusals = {
  304: { description: "As the If-None-Match says" },
  ...PUBLIC_ERRORS,
  401: LOCKED,
  404: PUBLIC_ERRORS[400],
};
const OPEN = { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };
const PERIOD_DAYS: Record<BadgePeriod, number> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 };
const KINDS = ["status", "uptime", "latency"] as const;
type Kind = (typeof KINDS)[number];

export const endpoints: Endpoint[] = KINDS.flatMap((kind) => [badgeEndpoint(kind, "svg"), badgeEndpoint(kind, "json")]);

function badgeEndpoint(kind: Kind, format: "svg" | "json"): Endpoint {
  const answer = format === "svg" ? document("The badge", "image/svg+xml") : json("The badge", Badge);
  return endpoint(
    policy,
    {
      method: "get",
      path: `/badge/{id}/${kind}.${format}`,
      tags,
      summary: `Get the ${kind} badge of a monitor as ${format.toUpperCase()}`,
      description: "Of monitors that a public page shows; all others are 404.",
      request: { params: BadgeParams, query: BadgeQuery },
      responses: { 200: answer, ...refusals },
    },
    (c) => showBadge(c, { kind, format, id: c.req.valid("param").id, query: c.req.valid("query") }),
  );
}

interface Wanted {
  kind: Kind;
  format: "svg" | "json";
  id: string;
  query: z.output<typeof BadgeQuery>;
}

async function showBadge(c: Context<AppEnv>, wanted: Wanted): Promise<Response> {
  const source = await findSource(c, wanted.id);
  const shown = source && (await loadPageForViewer(c, source.slug));
  const monitor = shown?.payload.monitors.find(({ id }) => id === wanted.id);
  if (!source || !shown || !monitor) throw notFound("monitor");
  const { format, kind, query } = wanted;
  if (kind === "latency" && !shown.payload.page.show_latency) throw notFound("badge");
  const response = await respond(c, shown, {
    name: `badge ${wanted.id} ${kind} ${format} ${query.style} ${query.theme} ${query.period} ${query.label ?? ""}`,
    type: format === "svg" ? "image/svg+xml" : "application/json; charset=utf-8",
    headers: OPEN,
    // Anybody may think of any number of labels.
    is_chosen: Boolean(query.label) && query.label !== monitor.name,
    make: async () => {
      const unlabelled = await buildOnce(c, { ...wanted, source, shown, monitor });
      const badge = unlabelled && { ...unlabelled, label: query.label || monitor.name };
      return badge && (format === "svg" ? renderBadge(badge, query) : JSON.stringify(badge));
    },
  });
  return response ?? Promise.reject(notFound("monitor"));
}

/** One read per minute and monitor; unknown ids count, because strangers can guess any number of them. */
async function findSource(c: Context<AppEnv>, monitorId: string): Promise<BadgeSource | null> {
  const { ctx, now } = c.var;
  const known = getBadgeSource(monitorId, now);
  if (known !== undefined) return known;
  const source = (await findBadgeSource(ctx.db, monitorId)) ?? null;
  if (!source) await requireRate(ctx, "page_miss");
  cacheBadgeSource(monitorId, source, now);
  return source;
}

interface Found extends Wanted {
  source: BadgeSource;
  shown: VisiblePage;
  monitor: PublicMonitor;
}

/** What a badge says is found out once a minute, regardless of the labels in the address. */
async function buildOnce(c: Context<AppEnv>, found: Found): Promise<Badge | undefined> {
  const { kind, id, query, shown } = found;
  const rendering = await renderOnce(c, shown, {
    name: `badge value ${id} ${kind} ${query.period}`,
    make: async () => JSON.stringify(await buildBadge(c, found)),
  });
  return rendering && Badge.parse(JSON.parse(new TextDecoder().decode(rendering.body)));
}

async function buildBadge(c: Context<AppEnv>, { kind, query, source, shown, monitor }: Found): Promise<Badge> {
  const { payload, viewing } = shown;
  const label = monitor.name;
  if (kind === "status") {
    // A picture has one address for all readers, so it speaks the language of its label.
    const wording = {
      texts: englishTexts("page"),
      formats: createFormats(payload.page.timezone, englishTexts("page")),
    };
    const view = buildMonitorView(monitor, payload, viewing.as_of, wording);
    const isPlanned = monitorsInMaintenance(payload, viewing.as_of).has(monitor.id);
    return buildStatusBadge(label, isPlanned ? duringMaintenance(view, englishTexts("page")) : view);
  }
  const { ctx, now } = c.var;
  if (kind === "uptime")
    return buildUptimeBadge(label, await computeUptime(ctx.db, { payload, monitor, now, period: query.period }));
  const range = latencyRange(query.period, now, HOUR_MS);
  // Every type that the service does not check itself may be pushed.
  const is_pushed = source.shard_id === "";
  const measured = await readObjectLatency(ctx.env, { ...source, id: monitor.id, is_pushed }, range);
  const total = addTallies(measured.map(({ tally }) => tally));
  return buildLatencyBadge(label, meanOf(total));
}

/** The last 24 hours to the minute; longer periods by whole days, as the bar of the page shows them. */
async function computeUptime(
  db: Parameters<typeof readDurations>[0],
  { payload, monitor, now, period }: { payload: PagePayload; monitor: PublicMonitor; now: number; period: BadgePeriod },
): Promise<number | null> {
  if (period === "24h") {
    const range = { from_at: now - DAY_MS, to_at: now };
    return computeShownUptime(await readDurations(db, monitor.id, range));
  }
  const days = talliesUntil(monitor, payload, now).slice(-PERIOD_DAYS[period]);
  return computeShownUptime(sumStatusDurations(days));
}
