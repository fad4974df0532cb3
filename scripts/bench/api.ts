import { startConstant } from "./constant.ts";
import { createPage, insertHistory } from "./rig.ts";
import { API, type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { median, report, type Turn, turn } from "./turns.ts";

/**
 * How long one client waits for lists of monitors, one monitor, a new monitor and what was agreed for 90 days, beside a constant
 * answer of equal size from the same kind of runtime, in turns.
 */
const MONITORS = 1_000;
const TURN_MS = 2_000;
/** Monitors of the page whose SLA is summed up, and of the one whose report is drawn. */
const PAGE_SIZE = 500;
const REPORT_SIZE = 100;
const CREATED_AIM_MS = 12;

interface Read {
  name: string;
  path: string;
  aimMs?: number;
}

export async function benchApi(minutes: number): Promise<void> {
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  const { waits, id } = await createMonitors(service);
  console.log(`POST /monitors: p50 ${median(waits).toFixed(1)} ms (aim: ${CREATED_AIM_MS}), of ${waits.length}`);
  const lists: Read[] = [
    { name: "list of 100 monitors", path: `${API}/monitors?limit=100` },
    { name: "list of 500 monitors", path: `${API}/monitors?limit=500`, aimMs: 25 },
    { name: "list of 1000 monitors", path: `${API}/monitors?limit=1000`, aimMs: 45 },
    { name: "one monitor", path: `${API}/monitors/${id}` },
  ];
  const share = (minutes * 60_000) / (lists.length + 2);
  for (const read of lists) await benchRead(service, read, share);

  const [page, reported] = [await createPage(service, PAGE_SIZE), await createPage(service, REPORT_SIZE)];
  await insertHistory(service);
  const slas: Read[] = [
    {
      name: `SLA summary of ${page.size} monitors, 90 days`,
      path: `${API}/status-pages/${page.id}/sla?period=90d`,
      aimMs: 150,
    },
    {
      name: `SLA report of ${reported.size} monitors as PDF`,
      path: `${API}/status-pages/${reported.id}/sla/export?format=pdf&period=90d`,
      aimMs: 1_000,
    },
  ];
  for (const read of slas) await benchRead(service, read, share);
}

async function benchRead(service: BenchService, { name, path, aimMs }: Read, share: number): Promise<void> {
  const address = service.url + path;
  const headers = { authorization: `Bearer ${service.token}` };
  await using constant = await startConstant(await fetch(address, { headers }));
  const alone = { turnMs: TURN_MS, connections: 1, headers };
  const turns = { read: [] as Turn[], constant: [] as Turn[] };
  for (const end = Date.now() + share; Date.now() < end; ) {
    turns.constant.push(await turn([constant.href], () => cpuSecondsOf(process.pid), alone));
    turns.read.push(await turn([address], service.cpuSeconds, alone));
  }
  report(`${name}, constant of ${constant.bytes} bytes`, turns.constant);
  report(name, turns.read, aimMs);
}

/** Monitors as teams have them: most alike, some with settings of their own. */
async function createMonitors(service: BenchService): Promise<{ waits: number[]; id: string }> {
  const waits: number[] = [];
  let id = "";
  for (let n = 0; n < MONITORS; n++) {
    const own =
      n % 5 === 0 ? { expected_status: 200 + (n % 7), http_headers: JSON.stringify({ "x-own": `${n}` }) } : {};
    const body = { name: `Service ${n}`, type: "http", target: `http://127.0.0.1:9/${n}`, paused: true, ...own };
    const began = performance.now();
    ({ id } = await send(service, "POST", `${API}/monitors`, body));
    waits.push(performance.now() - began);
  }
  return { waits, id };
}
