import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { API, beat, createHeartbeat, send, startBenchService } from "./service.ts";

/**
 * How long healthy receivers wait for an event of which others never answer: from the pushed failure to the arrival, for
 * the first event and for those after it. From the second event on none of them waits behind a receiver that hangs, and of a
 * hundred healthy ones 99 have it within five seconds on a machine that does nothing else.
 */
const P99_MAX_S = 5;
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
    const { address } = await createHeartbeat(service, "bench");
    const kinds = Array.from({ length: HEALTHY + HANGING }, (_, n) => (n % 11 === 0 ? "hanging" : "healthy"));
    for (let from = 0; from < kinds.length; from += CREATED_AT_ONCE) {
      const some = kinds.slice(from, from + CREATED_AT_ONCE);
      const urls = some.map((kind, n) => `${origin}/${kind}/${from + n}`);
      await Promise.all(urls.map((url) => send(service, "POST", `${API}/webhooks`, { name: "bench", url })));
    }
    const healthy = kinds.filter((kind) => kind === "healthy").length;
    await beat(address, "ok");
    const later: number[] = [];
    for (let event = 1, end = Date.now() + minutes * 60_000; event <= 2 || Date.now() < end; event++) {
      arrivals.length = 0;
      const [from, cpu] = [performance.now(), service.cpuSeconds()];
      await beat(address, event % 2 === 1 ? "fail" : "ok");
      await waitFor(() => arrivals.length >= healthy);
      const waits = arrivals.map((at) => at - from).sort((a, b) => a - b);
      const secondsAt = (share: number) => (waits[Math.floor(waits.length * share)] ?? 0) / 1000;
      const at = (share: number) => secondsAt(share).toFixed(2);
      if (event > 1) later.push(secondsAt(0.99));
      const used = (service.cpuSeconds() - cpu).toFixed(1);
      console.log(`event ${event}: ${healthy} healthy beside ${HANGING} hanging, p50 ${at(0.5)} s, p99 ${at(0.99)} s`);
      console.log(`  until the last of them the runtime used ${used} s of CPU`);
    }
    const median = later.sort((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0;
    console.log(`p99 from the second event on: ${median.toFixed(2)} s in the median of ${later.length} events`);
    if (median > P99_MAX_S) throw new Error(`more than ${P99_MAX_S} s: healthy receivers waited`);
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
