import { startConstant } from "./constant.ts";
import { type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { median, report, type Turn, turn } from "./turns.ts";

/**
 * How fast public pages are read, beside a constant answer of equal size from the same kind of runtime, in turns, so that
 * what else the machine does weighs on both alike; and how long the first reader waits after a change.
 */
const SIZES = [10, 500];
const TURN_MS = 2_000;
const CHANGES = 10;

export async function benchPage(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const share = (minutes * 60_000) / (SIZES.length * 2);
  for (const size of SIZES) {
    const page = await createPage(service, size);
    for (const [name, path] of [
      ["HTML", ""],
      ["JSON", "/summary.json"],
    ] as const) {
      await benchDocument(service, { ...page, name: `${size} services, ${name}`, path, share });
    }
  }
}

interface BenchDocument {
  id: string;
  slug: string;
  name: string;
  path: string;
  share: number;
}

async function benchDocument(service: BenchService, { id, slug, name, path, share }: BenchDocument): Promise<void> {
  const address = `${service.url}/status/${slug}${path}`;
  const body = await (await fetch(address)).text();
  await using constant = await startConstant(body);
  const read = () => turn([address], service.cpuSeconds, { turnMs: TURN_MS });
  const readConstant = () => turn([constant.href], () => cpuSecondsOf(process.pid), { turnMs: TURN_MS });
  await read();
  await readConstant();
  const turns = { page: [] as Turn[], constant: [] as Turn[] };
  for (const end = Date.now() + share; Date.now() < end; ) {
    turns.constant.push(await readConstant());
    turns.page.push(await read());
  }
  const bytes = Buffer.byteLength(body);
  const speed = report(`${name}, constant of ${bytes} bytes`, turns.constant);
  const ratio = report(`${name}, warm`, turns.page) / speed;
  console.log(`${name}: ${ratio.toFixed(2)} of the constant's speed`);
  console.log(`${name}, just after a change: ${(await timeChanges(service, id, address)).toFixed(1)} ms`);
}

/** The median wait of the first reader after a change, which has the page built. */
async function timeChanges(service: BenchService, id: string, address: string): Promise<number> {
  const waits: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const name = `Page ${n}`;
    await send(service, "PUT", `/api/uptime/v1/status-pages/${id}`, { name });
    const began = performance.now();
    const text = await (await fetch(address)).text();
    waits.push(performance.now() - began);
    if (!text.includes(name)) throw new Error("an older page was served after a change");
  }
  return median(waits);
}

async function createPage(service: BenchService, services: number): Promise<{ id: string; slug: string }> {
  const monitors: string[] = [];
  for (let n = 0; n < services; n++) {
    const body = { name: `Service ${n}`, type: "heartbeat", expected_interval: 3600 };
    monitors.push((await send(service, "POST", "/api/uptime/v1/monitors", body)).id);
  }
  const slug = `bench-${services}`;
  const { id } = await send(service, "POST", "/api/uptime/v1/status-pages", { name: "Page", slug, monitors });
  return { id, slug };
}
