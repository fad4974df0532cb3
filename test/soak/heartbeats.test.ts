import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { mintPushToken, readPushToken } from "../../src/platform/push-tokens.ts";
import { type Service, startService, temporaryDir } from "../process/support.ts";

/** Heartbeats under a burst, and over an outage of the service itself. */

const ROOT_SECRET = "root secret of the heartbeats under test";
/** As many of a monitor's newest beats are kept whole. */
const KEPT = 1000;
/** Longer than interval and grace, and than the 30 s within which a deadline may be noticed late. */
const OUTAGE_MS = 45_000;

interface Crowd {
  monitors: number;
  beats: number;
  /** Connections. All that is to be sent is due at once: what is not on its way waits for one of these. */
  clients: number;
}

/** The local runtime keeps three files open for each live object: ten thousand are more than a process may have here. */
const CROWDS: Crowd[] = [
  { monitors: 1, beats: 64, clients: 64 },
  { monitors: 1, beats: 4_000, clients: 500 },
  { monitors: 2_000, beats: 4_000, clients: 500 },
];

const start = (stateDir: string) =>
  startService({ env: { STATE_DIR: stateDir, RATE_LIMITS: "all=off", ROOT_SECRET, LOG_LEVEL: "warn" } });

async function select(service: Service, sql: string, params: string[] = []) {
  return (await service.execute([{ sql, params }]))[0] ?? [];
}

/** Tokens of new heartbeat monitors: one that the API makes, and rows like it, because the API makes one at a time. */
async function createHeartbeats(service: Service, count: number, fields: object): Promise<string[]> {
  const response = await fetch(`${service.url}/api/uptime/v1/monitors`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Job", type: "heartbeat", ...fields }),
  });
  expect(response.status).toBe(201);
  const first = (await response.json()) as { id: string; heartbeat_token: string };
  const credential = readPushToken(ROOT_SECRET, "beat", first.heartbeat_token);
  if (!credential) throw new Error("the token was made under another secret than this test's");
  const columns = await select(service, "SELECT name FROM pragma_table_info('monitors') WHERE name <> 'id'");
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const ids = Array.from({ length: count - 1 }, () => newId());
  await select(
    service,
    `INSERT INTO monitors (id, ${names})
      SELECT copy, ${names} FROM (SELECT value AS copy FROM json_each(?)) JOIN monitors ON id = ?`,
    [JSON.stringify(ids), first.id],
  );
  return [first.id, ...ids].map((monitor_id) => mintPushToken(ROOT_SECRET, "beat", { ...credential, monitor_id }));
}

/** Sends a beat that says which one it is. */
async function beat(service: Service, token: string, message: string): Promise<number> {
  const response = await fetch(`${service.url}/ping/${token}`, { method: "POST", body: message });
  await response.body?.cancel();
  const isRefusal = response.status === 429 || response.status === 503;
  if (isRefusal) expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  return response.status;
}

/** Sends all of a crowd's beats at once; gives the messages by the answer that they got. */
async function burst(service: Service, tokens: readonly string[], { beats, clients }: Omit<Crowd, "monitors">) {
  const answered = new Map<number, string[]>();
  let sent = 0;
  const client = async () => {
    while (sent < beats) {
      const n = sent++;
      const token = tokens[n % tokens.length] ?? "";
      const message = `${token} ${n}`;
      const status = await beat(service, token, message);
      const known = answered.get(status) ?? [];
      answered.set(status, known);
      known.push(message);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answered;
}

/** What lies on the disk: by token, how many beats were ever taken and the messages of the newest. */
function readBeats(stateDir: string): Map<string, { count: number; messages: Set<string> }> {
  const dir = join(stateDir, "v3/do/vigil-MonitorObject");
  const found = new Map<string, { count: number; messages: Set<string> }>();
  for (const file of readdirSync(dir).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
    const database = new DatabaseSync(join(dir, file));
    const rows = database.prepare("SELECT n, entry FROM pushes").all();
    database.close();
    const messages = rows.map(({ entry }): string => JSON.parse(String(entry)).beat.message);
    const count = 1 + Math.max(...rows.map(({ n }) => Number(n)));
    const [token = ""] = messages[0]?.split(" ") ?? [];
    found.set(token, { count, messages: new Set(messages) });
  }
  return found;
}

it("each beat of a burst is kept, or refused with the time to wait, and kill -9 right after it takes none away", {
  timeout: 600_000,
}, async () => {
  const stateDir = temporaryDir();
  const service = await start(stateDir);
  const taken: string[] = [];
  for (const { monitors, ...crowd } of CROWDS) {
    const tokens = await createHeartbeats(service, monitors, { expected_interval: 86_400 });
    const answered = await burst(service, tokens, crowd);
    expect([...answered.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    expect(answered.get(200)?.length).toBeGreaterThan(0);
    taken.push(...(answered.get(200) ?? []));
  }
  expect(await select(service, "SELECT DISTINCT status FROM monitors")).toEqual([{ status: "up" }]);
  await service.killGroup();

  const onDisk = readBeats(stateDir);
  const lost = Object.entries(Object.groupBy(taken, (message) => message.split(" ")[0] ?? "")).filter(
    ([token, messages = []]) => {
      const { count, messages: kept } = onDisk.get(token) ?? { count: 0, messages: new Set() };
      const missing = messages.filter((message) => !kept.has(message)).length;
      return count < messages.length || missing > Math.max(0, count - KEPT);
    },
  );
  expect(lost).toEqual([]);
});

it("an outage of the service takes no heartbeat down, and the next beat finds it up", {
  timeout: 400_000,
}, async () => {
  const stateDir = temporaryDir();
  let service = await start(stateDir);
  const once = { beats: 50, clients: 50 };
  const tokens = await createHeartbeats(service, once.beats, { expected_interval: 10, grace_seconds: 5 });
  await burst(service, tokens, once);
  await service.killGroup();
  await sleep(OUTAGE_MS);
  service = await start(stateDir);
  await sleep(3_000);
  expect(await select(service, "SELECT * FROM transitions WHERE to_status = 'down'")).toEqual([]);
  await burst(service, tokens, once);
  const statuses = () => select(service, "SELECT status, count(*) AS n FROM monitors GROUP BY status");
  await expect.poll(statuses).toEqual([{ status: "up", n: once.beats }]);
  expect(await select(service, "SELECT * FROM transitions WHERE to_status = 'down'")).toEqual([]);
  await service.stop();
});
