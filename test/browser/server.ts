import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import type { PagePayload } from "../../src/contract/public-page.ts";
import type { PageTexts } from "../../src/language/texts.ts";
import { ASSETS } from "../../src/status-page/assets.ts";
import { buildHistoryView, buildIncidentView } from "../../src/status-page/incident-view.ts";
import { drawLatency } from "../../src/status-page/latency-chart.ts";
import { buildMaintenanceHistory, buildMaintenanceView } from "../../src/status-page/maintenance-view.ts";
import { EMBED_POLICY, pagePolicy } from "../../src/status-page/policy.ts";
import { buildServiceView, type ServiceFacts } from "../../src/status-page/service-view.ts";
import { renderSubscribePage } from "../../src/status-page/subscribe-views.tsx";
import { buildPageView } from "../../src/status-page/view-model.ts";
import { renderEmbed } from "../../src/status-page/views/embed.tsx";
import {
  renderHistoryPage,
  renderIncidentPage,
  renderMessagePage,
  renderStatusPage,
} from "../../src/status-page/views/pages.tsx";
import {
  renderMaintenanceHistory,
  renderMaintenancePage,
  renderServicePage,
} from "../../src/status-page/views/parts.tsx";
import { renderUnlockPage } from "../../src/status-page/views/unlock.tsx";
import { readTexts } from "../support/texts.ts";
import { NOW } from "./pages.ts";

/** Where the set-up puts them. */
const FONTS = resolve(import.meta.dirname, "../../node_modules/.assets/assets/status-page/fonts");
const TYPES: Record<string, string> = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

/** The documents that readers get, with the headers that guard them. */
export function renderDocuments(
  payload: PagePayload,
  texts: PageTexts = readTexts(payload.page.language),
): Record<string, string> {
  const address = { base: "/status/northwind", home: "/status/northwind", url: "https://vigil.test/status/northwind" };
  const viewing = { as_of: NOW, is_stale: false, late: null, address, texts };
  const [incident] = payload.incidents;
  const [window] = payload.maintenance;
  const monitor = payload.monitors.find(({ status }) => status !== "up") ?? payload.monitors[0];
  return {
    "/page": renderStatusPage(buildPageView(payload, viewing)),
    "/stale": renderStatusPage(buildPageView(payload, { ...viewing, is_stale: true })),
    "/late": renderStatusPage(buildPageView(payload, { ...viewing, late: { since: NOW - 240_000, for_ms: 240_000 } })),
    "/missing": renderMessagePage(readTexts("en"), {
      title: "Page not found",
      text: "There is no status page at this address.",
    }),
    ...(monitor
      ? {
          "/service": renderServicePage(
            buildServiceView(monitor, payload, { viewing, facts: facts(viewing.as_of), period: "24h" }),
          ),
          "/game": renderServicePage(
            buildServiceView(monitor, payload, { viewing, facts: gameFacts(viewing.as_of), period: "24h" }),
          ),
        }
      : {}),
    ...(window
      ? { "/maintenance": renderMaintenancePage(requireView(buildMaintenanceView(window, payload, viewing))) }
      : {}),
    "/history": renderHistoryPage(
      buildHistoryView(payload.incidents, payload, { viewing, limit: 50, before: undefined }),
    ),
    "/past-maintenance": renderMaintenanceHistory(
      buildMaintenanceHistory(pastOccurrences(payload), payload, { viewing, limit: 50, before: undefined }),
    ),
    "/subscribe": renderSubscribePage({
      frame: buildPageView(payload, viewing).frame,
      monitors: payload.monitors,
      groups: payload.groups,
      problem: null,
      channel: "email",
      endpoint: "",
      events: [],
      chosen: [],
    }),
    "/unlock": renderUnlockPage({
      texts: viewing.texts,
      base: address.base,
      home: address.home,
      next: "",
      problem: null,
      inFrame: false,
    }),
    "/embed": renderEmbed(buildPageView(payload, viewing)),
    ...(incident ? { "/incident": renderIncidentPage(buildIncidentView(incident, payload, viewing)) } : {}),
  };
}

/** A day of response times with a gap, and two outages. */
function facts(now: number): ServiceFacts {
  const [hour, step_ms] = [3_600_000, 900_000];
  const from = now - 24 * hour;
  const points = Array.from({ length: 96 }, (_, n) => ({
    at: from + n * step_ms,
    p50_ms: Math.round(120 + 40 * Math.sin(n / 9) + (n > 80 ? 160 : 0)),
    p95_ms: Math.round(230 + 70 * Math.sin(n / 7) + (n > 80 ? 420 : 0)),
  })).filter((_point, n) => n < 40 || n > 48);
  return {
    last_day: { up: 22 * hour, degraded: 0, down: 2 * hour, maintenance: 0 },
    outages: [
      { started_at: now - 2 * hour, ended_at: null, in_maintenance: false },
      { started_at: now - 600 * hour, ended_at: now - 599 * hour, in_maintenance: true },
    ],
    metrics: null,
    restarts: [],
    latency: { from, chart: drawLatency(points, { from, to: now, step_ms }) },
  };
}

/** A game server with charts of both kinds and a figure. */
function gameFacts(now: number): ServiceFacts {
  const [hour, step_ms] = [3_600_000, 3_600_000];
  const range = { from: now - 24 * hour, to: now, step_ms };
  const points = Array.from({ length: 24 }, (_, n) => {
    const mean = Math.round(30 + 25 * Math.sin(n / 4));
    return { at: range.from + n * step_ms, count: 60, mean, min: mean - 3, max: mean + 4 };
  });
  return {
    ...facts(now),
    latency: null,
    metrics: {
      game: {
        players: 41,
        max_players: 64,
        peak: 59,
        map: "Procedural Map",
        join_url: "steam://connect/play.example.com:28015",
      },
      widgets: [
        { type: "line", metric: "player_count", title: "", last: 41, points },
        { type: "bar", metric: "entities", title: "Entities", last: 41, points },
        { type: "stat", metric: "fps", title: "Frames per second", last: 59.94, points },
      ],
      range,
    },
  };
}

function pastOccurrences({ maintenance }: PagePayload) {
  return maintenance.flatMap(({ id, title, monitor_ids, past }) =>
    past.map((occurrence) => ({ maintenance_id: id, title, monitor_ids, ...occurrence })),
  );
}

function requireView<View>(view: View | undefined): View {
  if (!view) throw new Error("nothing to show");
  return view;
}

/** Serves the documents of each payload under its name. */
export async function startServer(payloads: Record<string, PagePayload>) {
  const documents = new Map<string, { html: string; policy: string }>();
  for (const [name, payload] of Object.entries(payloads)) {
    for (const [path, html] of Object.entries(renderDocuments(payload))) {
      // What is of no page has no theme of one.
      const choice = /^.(missing|unlock)$/.test(path) ? null : payload.page;
      const policy = path === "/embed" ? EMBED_POLICY : pagePolicy(choice);
      documents.set(`/${name}${path}`, { html, policy });
    }
  }
  const server = createServer((req, res) => {
    const document = documents.get(req.url ?? "");
    const font = /\/fonts\/([\w-]+\.woff2)$/.exec(req.url ?? "")?.[1];
    const asset = ASSETS.find(({ address }) => address === req.url);
    if (font !== undefined) res.writeHead(200, { "content-type": "font/woff2" }).end(readFileSync(`${FONTS}/${font}`));
    else if (asset) {
      res.writeHead(200, { "content-type": TYPES[asset.address.split(".").at(-1) ?? ""] }).end(asset.text);
    } else if (document) {
      const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": document.policy };
      res.writeHead(200, headers).end(document.html);
    } else res.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}
