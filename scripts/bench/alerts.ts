import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { API, beat, createHeartbeat, send, startBenchService } from "./service.ts";
import { startWorker } from "./worker.ts";

/**
 * How long a pushed failure takes until a receiver on loopback has its alert, beside the least that any such path has to
 * do: one object that writes one row, one queue, one request. Both run in turns, one alert at a time.
 */
const ALERTS_PER_MINUTE = 100;
const LOST_AFTER_MS = 30_000;

const BARE = `
import { DurableObject } from "cloudflare:workers";
export class Bare extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS alerts (id TEXT PRIMARY KEY)");
  }
  async alert(url) {
    this.ctx.storage.sql.exec("INSERT INTO alerts VALUES (?)", url);
    await this.env.ALERTS.send(url);
  }
}
export default {
  async fetch(request, env) {
    await env.BARE.get(env.BARE.idFromName("one")).alert(new URL(request.url).searchParams.get("to"));
    return new Response("ok");
  },
  async queue(batch) {
    for (const { body } of batch.messages) await fetch(body, { method: "POST", body: "{}" });
  },
};
`;

/** A receiver that reports when the request of a key arrived. */
async function startReceiver() {
  const waiting = new Map<string, () => void>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url ?? "";
    const { event, data } = JSON.parse(body || "{}");
    waiting.get(path === "/vigil" ? `${event} ${data?.monitor_id}` : path)?.();
    response.end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrival(key: string): Promise<number> {
      return new Promise((resolve, reject) => {
        const lost = setTimeout(() => reject(new Error(`nothing arrived for ${key}`)), LOST_AFTER_MS);
        waiting.set(key, () => {
          clearTimeout(lost);
          resolve(performance.now());
        });
      });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function benchAlerts(minutes: number): Promise<void> {
  const receiver = await startReceiver();
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  await using bare = await startBare();
  try {
    await send(service, "POST", `${API}/webhooks`, {
      name: "bench",
      url: `${receiver.origin}/vigil`,
      events: ["monitor.down"],
    });
    const times = { alert: [] as number[], bare: [] as number[] };
    for (let n = 0; n < minutes * ALERTS_PER_MINUTE; n++) {
      const { id, address } = await createHeartbeat(service, `bench ${n}`);
      await beat(address, "ok");
      times.alert.push(await time(receiver.arrival(`monitor.down ${id}`), () => beat(address, "fail")));
      const to = encodeURIComponent(`${receiver.origin}/${n}`);
      times.bare.push(await time(receiver.arrival(`/${n}`), () => call(`${bare.url}/?to=${to}`)));
    }
    const [baseline, alert] = [report("object, queue, request", times.bare), report("alert", times.alert)];
    console.log(`an alert takes ${(alert / baseline).toFixed(1)} times as long as the bare path`);
  } finally {
    receiver.close();
  }
}

function startBare() {
  return startWorker(BARE, {
    durableObjects: { BARE: { className: "Bare", useSQLite: true } },
    queueProducers: { ALERTS: "alerts" },
    queueConsumers: { alerts: { maxBatchSize: 1, maxBatchTimeout: 0 } },
  });
}

async function call(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
}

/** Milliseconds from the start of the call to the arrival. */
async function time(arrival: Promise<number>, start: () => Promise<void>): Promise<number> {
  const from = performance.now();
  const [arrived] = await Promise.all([arrival, start()]);
  return arrived - from;
}

/** Prints the distribution and gives its median. */
function report(name: string, times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  console.log(`${name}: p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms of ${sorted.length}`);
  return at(0.5);
}
