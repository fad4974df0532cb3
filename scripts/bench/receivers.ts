import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BenchService, startBenchService } from "./service.ts";

/**
 * How long healthy receivers wait for an event of which others never answer: from the pushed failure to the arrival, for
 * the first event and for those after it. From the second event on none of them waits behind a receiver that hangs.
 */
const HEALTHY = 1_000;
const HANGING = 100;
const CREATED_AT_ONCE = 20;
const LOST_AFTER_MS = 300_000;

export async function benchReceivers(minutes: number): Promise<void> {
  const arrivals: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith("/hanging")) return;
    arrivals.push(performance.now());
    response.end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using service = await startBenchService({ EGRESS_ALLOW: "127.0.0.1" });
  try {
    const monitor = await post(service, "monitors", { name: "bench", type: "heartbeat", expected_interval: 3600 });
    const kinds = Array.from({ length: HEALTHY + HANGING }, (_, n) => (n % 11 === 0 ? "hanging" : "healthy"));
    for (let from = 0; from < kinds.length; from += CREATED_AT_ONCE) {
      const some = kinds.slice(from, from + CREATED_AT_ONCE);
      const urls = some.map((kind, n) => `${origin}/${kind}/${from + n}`);
      await Promise.all(urls.map((url) => post(service, "webhooks", { name: "bench", url })));
    }
    const healthy = kinds.filter((kind) => kind === "healthy").length;
    await push(monitor.push_urls.heartbeat, "ok");
    for (let event = 1, end = Date.now() + minutes * 60_000; event <= 2 || Date.now() < end; event++) {
      arrivals.length = 0;
      const from = performance.now();
      await push(monitor.push_urls.heartbeat, event % 2 === 1 ? "fail" : "ok");
      await waitFor(() => arrivals.length >= healthy);
      const waits = arrivals.map((at) => at - from).sort((a, b) => a - b);
      const at = (share: number) => ((waits[Math.floor(waits.length * share)] ?? 0) / 1000).toFixed(2);
      console.log(`event ${event}: ${healthy} healthy beside ${HANGING} hanging, p50 ${at(0.5)} s, p99 ${at(0.99)} s`);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function waitFor(isDone: () => boolean): Promise<void> {
  for (const end = Date.now() + LOST_AFTER_MS; !isDone(); ) {
    if (Date.now() > end) throw new Error("not every healthy receiver got the event");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function post({ url, token }: BenchService, path: string, body: Record<string, unknown>) {
  const response = await fetch(`${url}/api/uptime/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as { push_urls: { heartbeat: string } };
}

async function push(address: string, status: "ok" | "fail"): Promise<void> {
  const url = new URL(address);
  url.searchParams.set("status", status);
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
}
