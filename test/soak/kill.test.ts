import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "../process/support.ts";

/** kill -9 of everything while targets flip and webhooks are sent: nothing is lost, nothing doubles. */

const MONITORS = 20;
const KILLS = 3;
const SETTLE_MS = 240_000;

let service: Service;
let token: string | undefined;
let targets: Server;
let receiver: Server;
const broken = new Set<string>();
/** Event ids by webhook-id, as the receiver saw them. */
const received = new Map<string, string>();
const settings = {
  STATE_DIR: temporaryDir(),
  EGRESS_ALLOW: "127.0.0.1",
  DELIVERY_RETRY_MS: "1000,2000,4000,8000,8000,8000,8000",
};

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function post(path: string, body: unknown): Promise<{ id: string }> {
  const response = await fetch(`${service.url}/api/uptime/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string };
}

const select = async (sql: string) => (await service.execute([{ sql, params: [] }]))[0] ?? [];

beforeAll(async () => {
  targets = createServer((request, response) => {
    response.writeHead(broken.has(request.url ?? "") ? 503 : 200).end();
  });
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.set(String(request.headers["webhook-id"]), JSON.parse(body).id);
    response.end();
  });
  service = await startService({ env: settings });
  token = service.token;
  const [targetPort, receiverPort] = [await listen(targets), await listen(receiver)];
  const page = await post("status-pages", { name: "Page", slug: "page" });
  await post("webhooks", { name: "all", url: `http://127.0.0.1:${receiverPort}/`, provider: "generic" });
  for (let n = 0; n < MONITORS; n++) {
    await post("monitors", {
      name: `Monitor ${n}`,
      type: "http",
      target: `http://127.0.0.1:${targetPort}/${n}`,
      interval: 10,
      failure_threshold: 1,
      recovery_threshold: 1,
      status_page_id: page.id,
      auto_create_incident: true,
      auto_publish_incident: true,
    });
  }
}, START_TIMEOUT_MS);

afterAll(async () => {
  await service?.stop();
  targets?.close();
  receiver?.close();
});

it("loses and doubles nothing that monitors, incidents and deliveries went through", { timeout: 600_000 }, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < MONITORS; n++) {
      if ((n + kill) % 3 === 0) broken.add(`/${n}`);
      else broken.delete(`/${n}`);
    }
    // Checks of a 10 s interval are under way all the time; an odd pause meets them at different points.
    await sleep(11_000 + 1_700 * kill);
    await service.killGroup();
    service = await startService({ env: settings });
  }
  broken.clear();
  const deadline = Date.now() + SETTLE_MS;
  for (let isSettled = false; !isSettled && Date.now() < deadline; await sleep(1_000)) {
    const [monitors] = await select("SELECT count(*) AS n FROM monitors WHERE status <> 'up'");
    const [waiting] = await select("SELECT count(*) AS n FROM deliveries WHERE state = 'pending'");
    isSettled = monitors?.n === 0 && waiting?.n === 0;
  }

  expect(await select("SELECT name, status FROM monitors WHERE status <> 'up'")).toEqual([]);
  const went = await select("SELECT monitor_id, seq, from_status, to_status FROM transitions ORDER BY monitor_id, seq");
  expect(went.filter(({ to_status }) => to_status === "down").length).toBeGreaterThanOrEqual(MONITORS / 3);
  for (const [n, step] of went.entries()) {
    const before = went[n - 1];
    const isFirst = before?.monitor_id !== step.monitor_id;
    expect([step.seq, step.from_status]).toEqual(
      isFirst ? [1, "pending"] : [Number(before?.seq) + 1, before?.to_status],
    );
  }
  expect(
    await select(`SELECT a.monitor_id, a.seq FROM status_intervals a LEFT JOIN status_intervals b
      ON b.monitor_id = a.monitor_id AND b.seq = a.seq + 1 WHERE a.to_at IS NOT b.from_at`),
  ).toEqual([]);

  const outages = went.filter(({ to_status }) => to_status === "down").length;
  const ofMonitors = "FROM incidents WHERE origin_monitor_id IS NOT NULL GROUP BY status";
  expect(await select(`SELECT status, count(*) AS n ${ofMonitors}`)).toEqual([{ status: "resolved", n: outages }]);
  // Those that begin together are also listed in one, which ends with the last of them.
  expect(await select("SELECT id FROM incidents WHERE status <> 'resolved'")).toEqual([]);
  const told = await select("SELECT id, name FROM events");
  expect(told.filter(({ name }) => name === "monitor.down")).toHaveLength(outages);
  expect(await select("SELECT state, count(*) AS n FROM deliveries GROUP BY state")).toEqual([
    { state: "delivered", n: told.length },
  ]);
  expect([...received.values()].sort()).toEqual(told.map(({ id }) => id).sort());
});
