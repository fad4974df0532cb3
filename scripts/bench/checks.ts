import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type BenchService, startBenchService } from "./service.ts";

/**
 * Many monitors against loopback in the runtime of `npm start`: how late checks run, whether a slot is missed, what a
 * thousand checks cost in CPU and bytes. Everything but the targets runs in one runtime process.
 */
const FLEETS = [
  { count: 1000, interval: 60 },
  { count: 200, interval: 10 },
];
const WARM_UP_MS = 70_000;
const SAMPLE_MS = 2_000;

interface Seen {
  /** Milliseconds from slot to check. */
  lateness: number[];
  /** Slots by group. */
  slots: Map<string, Set<number>>;
}

export function benchChecks(minutes: number): Promise<void> {
  return measure(minutes, { hangingEvery: null });
}

/** The same with one target in twenty that never answers; the others must not wait for it. */
export function benchTimeouts(minutes: number): Promise<void> {
  return measure(minutes, { hangingEvery: 20 });
}

async function measure(minutes: number, { hangingEvery }: { hangingEvery: number | null }): Promise<void> {
  const hangs = (url = "") => hangingEvery !== null && Number(url.slice(1)) % hangingEvery === 0;
  const target = createServer((request, response) => {
    if (!hangs(request.url)) response.end("ok");
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const port = (target.address() as AddressInfo).port;
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  console.log(`creating ${FLEETS.map(({ count, interval }) => `${count} monitors at ${interval} s`).join(", ")} …`);
  for (const fleet of FLEETS) await createFleet(service, fleet, port);
  await sleep(WARM_UP_MS);

  const [cpuBefore, bytesBefore] = [service.cpuSeconds(), service.storedBytes()];
  const seen: Seen = { lateness: [], slots: new Map() };
  const from = Date.now();
  while (Date.now() < from + minutes * 60_000) {
    await sample(service, seen, from);
    await sleep(SAMPLE_MS);
  }
  report(seen, { cpu: service.cpuSeconds() - cpuBefore, bytes: service.storedBytes() - bytesBefore });
  target.closeAllConnections();
  target.close();
}

async function createFleet({ url, token }: BenchService, fleet: (typeof FLEETS)[number], port: number) {
  for (let n = 0; n < fleet.count; n++) {
    const body = { name: `${fleet.interval}/${n}`, type: "http", interval: fleet.interval };
    const response = await fetch(`${url}/api/uptime/v1/monitors`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, target: `http://127.0.0.1:${port}/${n}` }),
    });
    if (response.status !== 201) throw new Error(`monitor not created: ${await response.text()}`);
    await response.body?.cancel();
  }
}

/** The newest slot of every group of healthy targets, before the next one takes its place. */
async function sample(service: BenchService, { lateness, slots }: Seen, from: number): Promise<void> {
  const [groups = []] = await service.execute([
    {
      sql: "SELECT id, last_slot_at, latest FROM check_groups WHERE lane = 'normal' AND last_slot_at >= ?",
      params: [from],
    },
  ]);
  for (const { id, last_slot_at, latest } of groups) {
    const known = slots.get(String(id)) ?? new Set();
    slots.set(String(id), known);
    const slot = Number(last_slot_at);
    if (known.has(slot)) continue;
    known.add(slot);
    for (const [, checkedAt] of JSON.parse(String(latest))) lateness.push(Number(checkedAt) - slot);
  }
}

function report({ lateness, slots }: Seen, used: { cpu: number; bytes: number }): void {
  lateness.sort((a, b) => a - b);
  const at = (share: number) => lateness[Math.min(lateness.length - 1, Math.floor(share * lateness.length))] ?? 0;
  const missed = [...slots].reduce((sum, [id, found]) => {
    const interval = Number(id.split("/")[1]) * 1000;
    const span = Math.max(...found) - Math.min(...found);
    return sum + span / interval + 1 - found.size;
  }, 0);
  const thousands = lateness.length / 1000;
  console.table({
    "checks measured": { value: lateness.length, target: "" },
    "lateness p50 (ms)": { value: at(0.5), target: "" },
    "lateness p99 (ms)": { value: at(0.99), target: "≤ 1000" },
    "slots missed": { value: missed, target: "0" },
    "CPU seconds per 1,000 checks": { value: round(used.cpu / thousands), target: "≤ 1.0" },
    "bytes stored per check": { value: round(used.bytes / lateness.length), target: "≤ 12" },
  });
}

const round = (value: number) => Math.round(value * 100) / 100;
