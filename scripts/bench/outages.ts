import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { startReceiver } from "./receiver.ts";
import { createPage } from "./rig.ts";
import { API, type BenchService, beat, send, startBenchService } from "./service.ts";

/**
 * Everything fails at once: how long it takes until all outages are stored with their incidents and their webhook was
 * called, and how often the database is asked for each.
 */
const MONITORS = 2_000;
const MONITORS_PER_PAGE = 500;
export const AT_ONCE = 32;
const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 120_000;

export async function benchOutages(): Promise<void> {
  using receiver = await startReceiver();
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  console.log(`creating ${MONITORS} monitors …`);
  const jobs = await createJobs(service, MONITORS);
  await send(service, "POST", `${API}/webhooks`, {
    name: "bench",
    url: `${receiver.url}/hook`,
    events: ["monitor.down"],
  });
  await untilAll(service, jobs, "up");

  const units = await unitsOf(service);
  const cpu = service.cpuSeconds();
  const from = performance.now();
  const told = receiver.timeUntil("/hook", MONITORS);
  await failAll(jobs);
  const pushed = performance.now() - from;
  await untilAll(service, jobs, "down");
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

/** Monitors that receive beats and are up, on pages of equal size. */
export interface Jobs {
  pageIds: string[];
  beats: string[];
}

export async function createJobs(service: BenchService, count: number): Promise<Jobs> {
  const jobs: Jobs = { pageIds: [], beats: [] };
  while (jobs.beats.length < count) {
    const size = Math.min(MONITORS_PER_PAGE, count - jobs.beats.length);
    const { id, beats } = await createPage(service, size, `bench-jobs-${jobs.pageIds.length}`);
    jobs.pageIds.push(id);
    jobs.beats.push(...beats);
  }
  return jobs;
}

export const failAll = ({ beats }: Jobs) => mapConcurrently(beats, AT_ONCE, (address) => beat(address, "fail"));
export const passAll = ({ beats }: Jobs) => mapConcurrently(beats, AT_ONCE, (address) => beat(address, "ok"));

/** Until the newest recorded transition of each says so. */
export async function untilAll({ execute }: BenchService, { pageIds, beats }: Jobs, status: string): Promise<void> {
  const sql = `SELECT count(*) AS count FROM monitors JOIN status_intervals ON monitor_id = id
    WHERE status_page_id IN (SELECT value FROM json_each(?)) AND to_at IS NULL AND status_intervals.status = ?`;
  const params = [JSON.stringify(pageIds), status];
  for (const end = Date.now() + GIVE_UP_MS; ; await sleep(LOOK_EVERY_MS)) {
    const [[row] = []] = await execute([{ sql, params }]);
    if (Number(row?.count) >= beats.length) return;
    if (Date.now() > end) throw new Error(`only ${row?.count} of ${beats.length} monitors are ${status}`);
  }
}

async function unitsOf({ url, token }: BenchService): Promise<{ d1_calls: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/core/v1/uptime/capacity`, { headers });
  return ((await response.json()) as { units: { d1_calls: number } }).units;
}

const seconds = (ms: number) => round(ms / 1000);
const round = (value: number) => Math.round(value * 100) / 100;
