import { startConstant } from "./constant.ts";
import { type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { median, report, type Turn, turn } from "./turns.ts";

/**
 * How long one client waits for lists of monitors, one monitor and a new monitor, beside a constant answer of equal size from
 * the same kind of runtime, in turns.
 */
const MONITORS = 1_000;
const TURN_MS = 2_000;

const PATHS = {
  "list of 100 monitors": "/api/uptime/v1/monitors?limit=100",
  "list of 500 monitors": "/api/uptime/v1/monitors?limit=500",
  "list of 1000 monitors": "/api/uptime/v1/monitors?limit=1000",
};

export async function benchApi(minutes: number): Promise<void> {
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  const { waits, id } = await createMonitors(service);
  console.log(`POST /monitors: p50 ${median(waits).toFixed(1)} ms, of ${waits.length}`);
  const paths = { ...PATHS, "one monitor": `/api/uptime/v1/monitors/${id}` };
  const share = (minutes * 60_000) / Object.keys(paths).length;
  for (const [name, path] of Object.entries(paths)) await benchRead(service, { name, path, share });
}

async function benchRead(service: BenchService, { name, path, share }: { name: string; path: string; share: number }) {
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
  report(name, turns.read);
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
    ({ id } = await send(service, "POST", "/api/uptime/v1/monitors", body));
    waits.push(performance.now() - began);
  }
  return { waits, id };
}
