import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { startReceiver } from "./receiver.ts";
import { API, type BenchService, beat, createHeartbeat, send, startBenchService } from "./service.ts";

/**
 * Everything fails at once: how long it takes until all outages are stored with their incidents and their webhook was
 * called, and how often the database is asked for each.
 */
const PAGES = 4;
const MONITORS_PER_PAGE = 500;
const MONITORS = PAGES * MONITORS_PER_PAGE;
const AT_ONCE = 32;
const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 120_000;

export async function benchOutages(): Promise<void> {
  using receiver = await startReceiver();
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  console.log(`creating ${MONITORS} monitors on ${PAGES} pages …`);
  const addresses: string[] = [];
  for (let page = 0; page < PAGES; page++) addresses.push(...(await createPage(service, page)));
  await send(service, "POST", `${API}/webhooks`, {
    name: "bench",
    url: `${receiver.url}/hook`,
    events: ["monitor.down"],
  });
  await until(service, "up");

  const units = await unitsOf(service);
  const cpu = service.cpuSeconds();
  const from = performance.now();
  const told = receiver.timeUntil("/hook", MONITORS);
  await mapConcurrently(addresses, AT_ONCE, (address) => beat(address, "fail"));
  const pushed = performance.now() - from;
  await until(service, "down");
  const stored = performance.now() - from;
  const used = service.cpuSeconds() - cpu;
  const calls = (await unitsOf(service)).d1_calls - units.d1_calls;
  console.table({
    "failures pushed after (s)": { value: seconds(pushed), target: "" },
    "all outages stored after (s)": { value: seconds(stored), target: "≤ 30" },
    "webhook called for all after (s)": { value: seconds(await told), target: "" },
    "database calls for each until then": { value: round(calls / MONITORS), target: "≤ 3" },
    "CPU ms for each": { value: round((1000 * used) / MONITORS), target: "" },
  });
}

/** Gives where the monitors receive beats; all are up. */
async function createPage(service: BenchService, page: number): Promise<string[]> {
  const names = Array.from({ length: MONITORS_PER_PAGE }, (_, n) => `Job ${page}/${n}`);
  const made = await mapConcurrently(names, AT_ONCE, async (name) => {
    const monitor = await createHeartbeat(service, name);
    await beat(monitor.address, "ok");
    return monitor;
  });
  const body = { name: `Jobs ${page}`, slug: `bench-jobs-${page}`, monitors: made.map(({ id }) => id) };
  await send(service, "POST", `${API}/status-pages`, body);
  return made.map(({ address }) => address);
}

async function until({ execute }: BenchService, status: string): Promise<void> {
  for (const end = Date.now() + GIVE_UP_MS; ; await sleep(LOOK_EVERY_MS)) {
    // Of each the newest recorded transition.
    const sql = "SELECT count(*) AS count FROM status_intervals WHERE to_at IS NULL AND status = ?";
    const [[row] = []] = await execute([{ sql, params: [status] }]);
    if (Number(row?.count) >= MONITORS) return;
    if (Date.now() > end) throw new Error(`only ${row?.count} of ${MONITORS} monitors are ${status}`);
  }
}

async function unitsOf({ url, token }: BenchService): Promise<{ d1_calls: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/core/v1/uptime/capacity`, { headers });
  return ((await response.json()) as { units: { d1_calls: number } }).units;
}

const seconds = (ms: number) => round(ms / 1000);
const round = (value: number) => Math.round(value * 100) / 100;
