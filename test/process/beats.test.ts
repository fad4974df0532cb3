import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/** Heartbeats under a burst, and over an outage of the service itself. */

const MONITORS = 50;
const BURST = 10_000;
const CLIENTS = 64;
/** Longer than interval and grace, and than the 30 s within which a deadline may be noticed late. */
const OUTAGE_MS = 45_000;

let service: Service;
let token: string | undefined;
const settings = { STATE_DIR: temporaryDir(), RATE_LIMITS: "all=off" };
const tokens: string[] = [];

async function createHeartbeat(n: number): Promise<string> {
  const response = await fetch(`${service.url}/api/uptime/v1/monitors`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: `Job ${n}`, type: "heartbeat", expected_interval: 10, grace_seconds: 5 }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { heartbeat_token: string }).heartbeat_token;
}

async function beat(heartbeatToken: string): Promise<number> {
  const response = await fetch(`${service.url}/ping/${heartbeatToken}`);
  await response.body?.cancel();
  const isRefusal = response.status === 429 || response.status === 503;
  if (isRefusal) expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  return response.status;
}

/** Sends beats from many clients at once and counts the answers. */
async function burst(count: number, tokenOf: (n: number) => string): Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      const status = await beat(tokenOf(sent++));
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

const select = async (sql: string) => (await service.execute([{ sql, params: [] }]))[0] ?? [];

beforeAll(async () => {
  service = await startService({ env: settings });
  token = service.token;
  for (let n = 0; n < MONITORS; n++) tokens.push(await createHeartbeat(n));
}, START_TIMEOUT_MS);

afterAll(() => service?.stop());

it("every beat of a burst is taken or refused with the time to wait, over one monitor and over many", {
  timeout: 180_000,
}, async () => {
  const [first = ""] = tokens;
  for (const tokenOf of [() => first, (n: number) => tokens[n % MONITORS] ?? ""]) {
    const answers = await burst(BURST, tokenOf);
    expect([...answers.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    expect(answers.get(200)).toBeGreaterThan(0);
  }
  expect(await select("SELECT status, count(*) AS n FROM monitors GROUP BY status")).toEqual([
    { status: "up", n: MONITORS },
  ]);
});

it("an outage of the service takes no heartbeat down, and the next beat finds it up", {
  timeout: 180_000,
}, async () => {
  await burst(MONITORS, (n) => tokens[n] ?? "");
  await service.killGroup();
  await sleep(OUTAGE_MS);
  service = await startService({ env: settings });
  await sleep(3_000);
  expect(await select("SELECT * FROM transitions WHERE to_status = 'down'")).toEqual([]);
  await burst(MONITORS, (n) => tokens[n] ?? "");
  await sleep(2_000);
  expect(await select("SELECT status, count(*) AS n FROM monitors GROUP BY status")).toEqual([
    { status: "up", n: MONITORS },
  ]);
  expect(await select("SELECT * FROM transitions WHERE to_status = 'down'")).toEqual([]);
});
