import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type BenchService, cpuSecondsOf, startBenchService } from "./service.ts";

/**
 * How fast heartbeats are taken, beside the least that any such service has to do: one call of one object that writes
 * one row. Both run in the same kind of runtime, in turns, so that what else the machine does weighs on both alike.
 */
const MONITORS = 200;
const CONNECTIONS = 32;
const TURN_MS = 5_000;

const BARE = `
import { DurableObject } from "cloudflare:workers";
export class Bare extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS beats (slot INTEGER PRIMARY KEY, at INTEGER)");
  }
  beat(n) {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO beats VALUES (?, ?)", n % 1000, Date.now());
    return n;
  }
}
export default {
  async fetch(request, env) {
    const n = Number(new URL(request.url).pathname.slice(1));
    return Response.json({ ok: await env.BARE.get(env.BARE.idFromName(String(n))).beat(n) });
  },
};
`;

interface Turn {
  answers: number;
  seconds: number;
  /** Milliseconds of CPU for each answer. */
  cpu: number;
  /** Milliseconds. */
  latencies: number[];
}

export async function benchPush(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const beats = await createHeartbeats(service);
  const dir = mkdtempSync(join(tmpdir(), "vigil-bare-"));
  const bare = startBare(dir);
  try {
    const origin = (await bare.ready).origin;
    const calls = beats.map((_beat, n) => `${origin}/${n}`);
    const call = () => turn(calls, () => cpuSecondsOf(process.pid));
    const beat = () => turn(beats, service.cpuSeconds);
    await beat();
    await call();
    const turns = { beat: [] as Turn[], call: [] as Turn[] };
    for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
      turns.call.push(await call());
      turns.beat.push(await beat());
    }
    const bareSpeed = report("object call", turns.call);
    console.log(
      `a heartbeat has ${(report("heartbeat", turns.beat) / bareSpeed).toFixed(2)} of the object call's speed`,
    );
  } finally {
    await bare.dispose();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function createHeartbeats({ url, token }: BenchService): Promise<string[]> {
  const addresses: string[] = [];
  for (let n = 0; n < MONITORS; n++) {
    const response = await fetch(`${url}/api/uptime/v1/monitors`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `beat ${n}`, type: "heartbeat", expected_interval: 3600 }),
    });
    if (response.status !== 201) throw new Error(`monitor not created: ${await response.text()}`);
    const monitor = (await response.json()) as { push_urls: { heartbeat: string } };
    addresses.push(monitor.push_urls.heartbeat);
  }
  return addresses;
}

function startBare(dir: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      name: "bare",
      modules: true,
      script: BARE,
      compatibilityDate: "2026-08-01",
      durableObjects: { BARE: { className: "Bare", useSQLite: true } },
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: dir,
      cf: false,
      telemetry: { enabled: false },
    }),
  );
}

/** All connections ask one address after the other until the time is over. */
async function turn(addresses: readonly string[], cpuSeconds: () => number): Promise<Turn> {
  const latencies: number[] = [];
  const cpuBefore = cpuSeconds();
  const from = performance.now();
  let next = 0;
  const ask = async () => {
    while (performance.now() - from < TURN_MS) {
      const began = performance.now();
      const response = await fetch(addresses[next++ % addresses.length] ?? "");
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`answered ${response.status}`);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const answers = latencies.length;
  const cpu = (1000 * (cpuSeconds() - cpuBefore)) / answers;
  return { answers, seconds: (performance.now() - from) / 1000, cpu, latencies };
}

/** Prints the median turn and gives its answers a second. */
function report(name: string, turns: readonly Turn[]): number {
  const speed = median(turns.map(({ answers, seconds }) => answers / seconds));
  const cpu = median(turns.map((each) => each.cpu)).toFixed(2);
  const sorted = turns.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  console.log(`${name}: ${speed.toFixed(0)}/s, ${cpu} ms of CPU each, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  return speed;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
