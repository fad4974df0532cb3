import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/**
 * The life of a shop that goes down and comes back, with nothing but the first token and HTTP, as README describes it.
 */

const SECRET = `whsec_${Buffer.from("a secret of sufficient length").toString("base64")}`;
const PATIENCE_MS = 120_000;

interface Received {
  id: string;
  event: string;
  body: string;
  headers: Record<string, string>;
}

let service: Service;
let token: string | undefined;
let shop: Server;
let receiver: Server;
const received: Received[] = [];
const stateDir = temporaryDir();
const settings = { STATE_DIR: stateDir, EGRESS_ALLOW: "127.0.0.1" };

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function shut(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const openShop = () => createServer((_request, response) => void response.end("welcome"));

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

async function eventually<Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const found = await look();
    if (found) return found;
    await sleep(250);
  }
  throw new Error(`${what} did not happen within ${PATIENCE_MS / 1000} s; received ${JSON.stringify(received)}`);
}

const eventsNamed = (name: string) => received.filter(({ event }) => event === name);
const distinct = (name: string) => new Set(eventsNamed(name).map(({ id }) => id)).size;

let pageId: string;
let monitorId: string;
let shopPort: number;

const monitorIs = (status: string) =>
  eventually(`monitor ${status}`, async () => {
    const { body } = await call("GET", `/api/uptime/v1/monitors/${monitorId}`);
    return body.status === status && body;
  });

beforeAll(async () => {
  service = await startService({ env: settings });
  token = service.token;
  shop = openShop();
  shopPort = await listen(shop);
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ id: headers["webhook-id"] ?? "", event: JSON.parse(body).event, body, headers });
    response.end();
  });
}, START_TIMEOUT_MS);

afterAll(async () => {
  receiver?.close();
  shop?.close();
  await service?.stop();
});

describe("npm start and curl alone", { timeout: 4 * PATIENCE_MS }, () => {
  it("set up a page, a monitor and a webhook", async () => {
    const page = await call("POST", "/api/uptime/v1/status-pages", { name: "Shop status", slug: "shop" });
    expect(page.status).toBe(201);
    pageId = page.body.id;
    const monitor = await call("POST", "/api/uptime/v1/monitors", {
      name: "Shop",
      type: "http",
      target: `http://127.0.0.1:${shopPort}/`,
      interval: 10,
      failure_threshold: 2,
      recovery_threshold: 1,
      retry_interval: 5,
      status_page_id: pageId,
      auto_create_incident: true,
      auto_publish_incident: true,
    });
    expect(monitor).toMatchObject({ status: 201, body: { type: "http" } });
    monitorId = monitor.body.id;
    const webhook = await call("POST", "/api/uptime/v1/webhooks", {
      name: "receiver",
      url: `http://127.0.0.1:${await listen(receiver)}/hook`,
      provider: "generic",
      secret: SECRET,
      status_page_id: pageId,
    });
    expect(webhook.status).toBe(201);
    expect(JSON.stringify(webhook.body)).not.toContain(SECRET);
    await monitorIs("up");
  });

  it("show an outage within seconds: status, one published incident, one signed delivery of each event, the page", async () => {
    await shut(shop);
    const monitor = await monitorIs("down");
    expect(monitor.last_message).toMatch(/refused/);
    await eventually("incident.created", async () => eventsNamed("incident.created").length > 0);
    await eventually("monitor.down", async () => eventsNamed("monitor.down").length > 0);
    for (const { body, headers } of received) expect(new Webhook(SECRET).verify(body, headers)).toBeTruthy();
    expect([distinct("monitor.down"), distinct("incident.created")]).toEqual([1, 1]);

    const summary = await eventually("the page's summary", async () => {
      const answer = await fetch(`${service.url}/status/shop/summary.json`);
      const body = JSON.stringify(await answer.json());
      return body.includes("Shop is down") && body;
    });
    expect(summary).not.toContain(String(shopPort));
    const html = await (await fetch(`${service.url}/status/shop`)).text();
    expect(html).toContain("Shop is down");
    expect(html).not.toContain(String(shopPort));
  });

  it("lose nothing when everything is killed in the middle of the outage", async () => {
    await service.killGroup();
    service = await startService({ env: settings });
    const restarted_at = new Date().toISOString();
    const checks = new Set<string>();
    await eventually("two checks since the restart", async () => {
      const { body } = await call("GET", `/api/uptime/v1/monitors/${monitorId}`);
      if (body.last_check > restarted_at) checks.add(body.last_check);
      return checks.size >= 2;
    });
    await monitorIs("down");
    expect([distinct("monitor.down"), distinct("incident.created"), distinct("monitor.up")]).toEqual([1, 1, 0]);
  });

  it("show the recovery: up, the incident resolved, the page green again", async () => {
    shop = openShop();
    await listen(shop, shopPort);
    await monitorIs("up");
    await eventually("monitor.up", async () => eventsNamed("monitor.up").length > 0);
    await eventually("incident.resolved", async () => eventsNamed("incident.resolved").length > 0);
    expect(["monitor.down", "monitor.up", "incident.created", "incident.resolved"].map(distinct)).toEqual([1, 1, 1, 1]);
    await eventually("the page to be well", async () => {
      const html = await (await fetch(`${service.url}/status/shop`)).text();
      return html.includes("All systems operational");
    });
  });
});
