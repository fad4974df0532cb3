import type { Context } from "hono";
import type { z } from "zod";
import { invalid, notFound, unavailable } from "../contract/errors.ts";
import { PageIncidentParams, PageParams, PageSummary, PastHistoryQuery, PastQuery } from "../contract/public-page.ts";
import { findNeighbours } from "../data/public-page/read.ts";
import { assetEndpoint } from "../http/assets.ts";
import { type AppEnv, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import type { HtmlArea } from "../http/middleware.ts";
import { document, html, json, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import { connectReader } from "../platform/page-objects.ts";
import { ASSETS } from "./assets.ts";
import { endpoints as badges } from "./badge-routes.ts";
import { endpoints as cards } from "./card-routes.ts";
import { renderEmbedScript } from "./embed-script.ts";
import { endpoints as feeds } from "./feeds-routes.ts";
import { endpoints as fonts } from "./font-routes.ts";
import { buildHistoryView, buildIncidentView } from "./incident-view.ts";
import { framedBy, htmlOf, respondPartNotFound, respondWithError } from "./messages.ts";
import { endpoints as parts } from "./part-routes.ts";
import { incidentAt } from "./past.ts";
import { findPublicIncident, listPublicIncidents } from "./payload.ts";
import { EMBED_POLICY } from "./policy.ts";
import { endpoints as previews } from "./preview-routes.ts";
import { loadPageAt, loadPageForViewer, PAGE_ANSWERS, respond, respondWithPage } from "./responses.ts";
import { presentSummary } from "./summary.ts";
import { buildPageView } from "./view-model.ts";
import { renderEmbed } from "./views/embed.tsx";
import { renderHistoryPage, renderIncidentPage, renderStatusPage } from "./views/pages.tsx";

const tags = ["Public pages"];
const HISTORY_LIMIT = 50;
const policy: EndpointPolicy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" };

const ROBOTS = "User-agent: *\nDisallow: /app/\nDisallow: /api/\nDisallow: /v1/\nDisallow: /v2/\n";

const unchanged = { description: "As the If-None-Match says" };
const hiddenPages = "A private page is visible to its members alone, who send their credential.";

export const HTML_AREA: HtmlArea = { prefix: "/status", refusalPage: respondWithError };
const htmlPolicy: EndpointPolicy = { ...policy, refusalPage: respondWithError };

export const endpoints = [
  endpoint(
    htmlPolicy,
    {
      method: "get",
      path: "/status/{slug}",
      tags,
      summary: "Get a public page as HTML",
      description: hiddenPages,
      request: { params: PageParams, query: PastQuery },
      responses: { 200: html("The page"), ...PAGE_ANSWERS },
    },
    (c) =>
      respondWithPage(c, async () => {
        const shown = await loadPageAt(c, c.req.valid("param").slug, c.req.valid("query").at);
        if (!shown) return undefined;
        return respond(c, shown, {
          ...htmlOf(shown.payload.page),
          name: "page",
          make: () => renderStatusPage(buildPageView(shown.payload, shown.viewing)),
        });
      }),
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/status/{slug}/summary.json",
      tags,
      summary: "Get the summary of a public page",
      description: `${hiddenPages} Any origin may read this.`,
      request: { params: PageParams, query: PastQuery },
      responses: {
        200: json("What the page shows", PageSummary),
        304: unchanged,
        ...PUBLIC_ERRORS,
        401: LOCKED,
        404: PUBLIC_ERRORS[400],
      },
    },
    async (c) => {
      c.header("Access-Control-Allow-Origin", "*");
      const shown = await loadPageAt(c, c.req.valid("param").slug, c.req.valid("query").at);
      if (!shown) throw notFound("status page");
      const response = await respond(c, shown, {
        name: "summary",
        type: "application/json; charset=utf-8",
        headers: { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag" },
        make: () => JSON.stringify(presentSummary(shown.payload, shown.viewing)),
      });
      if (!response) throw notFound("status page");
      return response;
    },
  ),

  endpoint(
    htmlPolicy,
    {
      method: "get",
      path: "/status/{slug}/incidents/{id}",
      tags,
      summary: "Get a published incident as HTML",
      description: hiddenPages,
      request: { params: PageIncidentParams, query: PastQuery },
      responses: { 200: html("The incident"), ...PAGE_ANSWERS },
    },
    (c) => respondWithPage(c, () => showIncident(c, { ...c.req.valid("param"), ...c.req.valid("query") })),
  ),

  endpoint(
    htmlPolicy,
    {
      method: "get",
      path: "/status/{slug}/history",
      tags,
      summary: "Get the incident history as HTML",
      description: hiddenPages,
      request: { params: PageParams, query: PastHistoryQuery },
      responses: { 200: html("The history"), ...PAGE_ANSWERS },
    },
    (c) => respondWithPage(c, () => showHistory(c, c.req.valid("param").slug, c.req.valid("query"))),
  ),

  endpoint(
    { ...policy, rate: "live" },
    {
      method: "get",
      path: "/status/{slug}/live",
      tags,
      summary: "Follow a public page by WebSocket",
      description:
        "Sends `{version}` after each change of the page, whose documents then take `?v=` with that version. At most 5,000 connections a page; beyond that, and wherever the socket fails, read the page once a minute.",
      request: { params: PageParams },
      responses: {
        101: { description: "Connected" },
        ...PUBLIC_ERRORS,
        401: LOCKED,
        404: PUBLIC_ERRORS[400],
      },
    },
    async (c) => {
      const shown = await loadPageForViewer(c, c.req.valid("param").slug);
      if (!shown) throw notFound("status page");
      if (c.req.header("upgrade")?.toLowerCase() !== "websocket") throw invalid("upgrade must be websocket");
      const { webSocket } = await connectReader(
        c.env,
        { page_id: shown.payload.page.id, reader: shown.reader },
        c.req.raw,
      );
      if (!webSocket) throw unavailable("this page has as many live readers as it may have");
      return new Response(null, { status: 101, webSocket });
    },
  ),

  endpoint(
    htmlPolicy,
    {
      method: "get",
      path: "/embed/{slug}",
      tags,
      summary: "Get the state of a public page for a frame on another site",
      request: { params: PageParams },
      responses: { 200: html("The document"), ...PAGE_ANSWERS },
    },
    (c) =>
      respondWithPage(c, async () => {
        const shown = await loadPageForViewer(c, c.req.valid("param").slug);
        if (!shown) return undefined;
        return respond(c, shown, {
          ...framedBy(EMBED_POLICY),
          name: "embed",
          make: () => renderEmbed(buildPageView(shown.payload, shown.viewing)),
        });
      }),
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/embed/{slug}/embed.js",
      tags,
      summary: "Get the script that shows a public page on another site",
      description:
        "`<script src=… async></script>` puts a banner and a short list in its place; `data-view` (`banner`, `list`) and `data-limit` choose what.",
      request: { params: PageParams },
      responses: {
        200: document("The script", "text/javascript"),
        304: unchanged,
        ...PUBLIC_ERRORS,
        401: LOCKED,
        404: PUBLIC_ERRORS[400],
      },
    },
    async (c) => {
      const shown = await loadPageForViewer(c, c.req.valid("param").slug);
      if (!shown) throw notFound("status page");
      const { address, texts } = shown.viewing;
      const response = await respond(c, shown, {
        name: "embed.js",
        type: "text/javascript; charset=utf-8",
        headers: { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" },
        make: () => renderEmbedScript({ url: address.url, texts }),
      });
      if (!response) throw notFound("status page");
      return response;
    },
  ),

  ...cards,
  ...parts,
  ...feeds,
  ...badges,
  ...fonts,
  ...previews,

  endpoint(
    policy,
    {
      method: "get",
      path: "/robots.txt",
      tags,
      summary: "Get what search engines may read",
      description: "Public pages, but not the signed-in views and the API; pages that want no index say so themselves.",
      responses: { 200: document("Rules for robots", "text/plain") },
    },
    () => {
      const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=86400" };
      return new Response(ROBOTS, { headers });
    },
  ),

  assetEndpoint("status-page", ASSETS, {
    tag: "Public pages",
    summary: "Get a style sheet, script or icon of public pages",
  }),
];

async function showHistory(c: Context<AppEnv>, slug: string, { before, at }: z.output<typeof PastHistoryQuery>) {
  const shown = await loadPageAt(c, slug, at);
  if (!shown) return undefined;
  const { payload, viewing } = shown;
  return respond(c, shown, {
    ...htmlOf(shown.payload.page),
    name: `history ${before ?? ""}`,
    is_chosen: before !== undefined,
    make: async () => {
      const until = Math.min(before ?? viewing.as_of + 1, viewing.as_of + 1);
      const scope = { page_id: payload.page.id, before: until, limit: HISTORY_LIMIT, at };
      const listed = await listPublicIncidents(c.var.ctx.db, scope);
      const incidents = at === undefined ? listed : listed.map((incident) => incidentAt(incident, at));
      return renderHistoryPage(buildHistoryView(incidents, payload, { viewing, limit: HISTORY_LIMIT, before }));
    },
  });
}

/** Recent incidents are in the page's payload; older ones, and those with many updates, are read from D1. */
async function showIncident(c: Context<AppEnv>, { slug, id, at }: { slug: string; id: string; at?: number }) {
  const shown = await loadPageAt(c, slug, at);
  if (!shown) return undefined;
  const { payload, viewing } = shown;
  const recent = payload.incidents.find((each) => each.id === id && each.omitted_updates === 0);
  const response = await respond(c, shown, {
    ...htmlOf(shown.payload.page),
    name: `incident ${id}`,
    is_chosen: true,
    make: async () => {
      const ids = { page_id: payload.page.id, incident_id: id };
      const stored = recent ?? (await findPublicIncident(c.var.ctx.db, ids));
      const incident = stored && (at === undefined ? stored : incidentAt(stored, at));
      // Began later, or was announced later: then it was not there yet.
      if (!incident || (at !== undefined && (incident.started_at > at || incident.updates.length === 0)))
        return undefined;
      const { started_at } = incident;
      const isNow = at === undefined && !viewing.is_stale;
      const neighbours = isNow
        ? await findNeighbours(c.var.ctx.db, { page_id: payload.page.id, started_at })
        : undefined;
      return renderIncidentPage(buildIncidentView(incident, payload, viewing, neighbours));
    },
  });
  return response ?? respondPartNotFound(c, payload.page.name, viewing, viewing.texts.incident);
}
