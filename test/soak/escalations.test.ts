import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "../process/support.ts";

/**
 * kill -9 of everything while escalations take their steps. A model of a few lines says what each incident has to lead to;
 * for all that was under way at a kill, each notification is made once and arrives under one id.
 */

const KILLS = 4;
const ROUNDS = 2;
const STEPS = 2;
const SETTLE_MS = 600_000;

let service: Service;
let token: string | undefined;
let receiver: Server;
/** Ids under which a request arrived, by the notification that it is about. */
const arrived = new Map<string, number>();
/** Every fourth request is answered only after the kill, if at all. */
let requests = 0;
const settings = { STATE_DIR: temporaryDir(), EGRESS_ALLOW: "127.0.0.1" };

async function call(method: string, path: string, body?: unknown): Promise<{ id: string; status: number }> {
  const response = await fetch(`${service.url}/api/uptime/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { ...((await response.json()) as { id: string }), status: response.status };
}

async function create(path: string, body: unknown): Promise<string> {
  const { id, status } = await call("POST", path, body);
  expect(status).toBe(201);
  return id;
}

const select = async (sql: string) => (await service.execute([{ sql, params: [] }]))[0] ?? [];

let page: string;
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    for await (const _chunk of request);
    const id = String(request.headers["webhook-id"]);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    requests += 1;
    if (requests % 4 === 0) await sleep(2_000);
    response.end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  service = await startService({ env: settings });
  token = service.token;
  page = await create("status-pages", { name: "Page", slug: "page" });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const pager = await create("webhooks", { name: "pager", url, provider: "generic", events: ["never.sent"] });
  const [owner] = await select("SELECT owner_id FROM status_pages");
  await create(`status-pages/${page}/on-call/policies`, {
    name: "Night",
    is_default: true,
    repeat_count: ROUNDS - 1,
    steps: [
      { level: 1, wait_minutes: 0, contacts: [{ type: "webhook", value: pager }] },
      { level: 2, wait_minutes: 1, contacts: [{ type: "user", value: String(owner?.owner_id) }] },
    ],
  });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await service?.stop();
  receiver?.closeAllConnections();
  receiver?.close();
});

it("makes every notification once, whenever everything is killed", { timeout: 1_200_000 }, async () => {
  const left: string[] = [];
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    for (const [n, ids] of [left, acknowledged].entries()) {
      ids.push(await create("incidents", { status_page_id: page, title: `Incident ${kill}.${n}` }));
    }
    // An odd pause meets the steps, which are a minute apart, at different points.
    await sleep(700 * kill + 150);
    await service.killGroup();
    service = await startService({ env: settings });
    // What was answered with 200 stays acknowledged, also where the service is killed again right then.
    expect((await call("POST", `incidents/${acknowledged.at(-1)}/acknowledge`, {})).status).toBe(200);
    await sleep(9_000 + 1_100 * kill);
  }
  const open = "SELECT count(*) AS n FROM escalations WHERE state IS NULL OR state ->> 'status' = 'active'";
  const pending = "SELECT count(*) AS n FROM escalation_notifications WHERE state = 'pending'";
  const deadline = Date.now() + SETTLE_MS;
  for (let isSettled = false; !isSettled && Date.now() < deadline; await sleep(1_000)) {
    isSettled = (await select(open))[0]?.n === 0 && (await select(pending))[0]?.n === 0;
  }

  expect(await select(open)).toEqual([{ n: 0 }]);
  const standing = await select("SELECT incident_id, state ->> 'status' AS status FROM escalations");
  const statusOf = new Map(standing.map(({ incident_id, status }) => [incident_id, status]));
  expect(left.map((id) => statusOf.get(id))).toEqual(left.map(() => "exhausted"));
  expect(acknowledged.map((id) => statusOf.get(id))).toEqual(acknowledged.map(() => "acknowledged"));
  expect(standing).toHaveLength(left.length + acknowledged.length);

  const made =
    await select(`SELECT e.incident_id, n.id, n.level, n.notification_key AS key, n.state, n.contact_type AS type
    FROM escalation_notifications n JOIN escalations e ON e.id = n.escalation_id ORDER BY n.created_at, n.level`);
  for (const id of left) {
    const levels = made.filter((row) => row.incident_id === id).map(({ level }) => level);
    expect(levels.sort()).toEqual([0, ...Array(ROUNDS).fill(1), ...Array(ROUNDS).fill(STEPS)]);
  }
  for (const id of acknowledged) {
    // Step 1 is at once; nothing of the owner's or of a second round.
    const levels = made.filter((row) => row.incident_id === id).map(({ level }) => level);
    expect([1, 2]).toContain(levels.length === 0 ? 1 : levels.length);
    expect(levels).not.toContain(0);
  }
  expect(new Set(made.map(({ incident_id, key }) => `${incident_id} ${key}`)).size).toBe(made.length);
  expect(await select("SELECT count(*) AS n FROM notifications WHERE type = 'oncall.exhausted'")).toEqual([
    { n: left.length },
  ]);
  // A repeat after a kill between request and record carries the id of the first one.
  const paged = made.filter(({ type, state }) => type === "webhook" && state === "sent").map(({ id }) => id);
  expect([...arrived.keys()].filter((id) => made.every((row) => row.id !== id))).toEqual([]);
  expect(paged.filter((id) => !arrived.has(String(id)))).toEqual([]);
  expect(paged.length).toBeGreaterThanOrEqual(left.length * ROUNDS);
});
