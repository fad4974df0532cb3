import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type BenchService, cpuSecondsOf, startBenchService } from "./service.ts";
import { report, type Turn, turn } from "./turns.ts";

/**
 * How fast heartbeats are taken, beside the least that any such service has to do: one call of one object that writes
 * one row. Both run in the same kind of runtime, in turns, so that what else the machine does weighs on both alike.
 */
const MONITORS = 200;

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
