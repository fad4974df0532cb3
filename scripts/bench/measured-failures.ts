import { setTimeout as sleep } from "node:timers/promises";
import type { Measure } from "./measures.ts";
import type { Rig } from "./rig.ts";

const LOOK_EVERY_MS = 2;
const CREATED_AT_ONCE = 8;

/** From a pushed failure to those who have to know of it. */
export async function measureFailures(rig: Rig): Promise<Measure[]> {
  const { bare, receiver, post } = rig;
  await post("/webhooks", { name: "bench", url: `${receiver.url}/hook`, events: ["monitor.down"] });
  const monitor = await post("/monitors", { name: "Job", type: "heartbeat", expected_interval: 3600 });
  const slug = "bench-failures";
  await post("/status-pages", { name: "Jobs", slug, monitors: [monitor.id] });
  const beat = monitor.push_urls?.heartbeat ?? "";
  const shows = showsOn(rig, slug);
  return [
    {
      ...{ name: "failure to webhook", unit: "ms", baseline: "object, queue, request" },
      async round() {
        await reach(push(beat, "ok"), () => shows("up"));
        const to = encodeURIComponent(`${receiver.url}/bare`);
        const baseline = await time(receiver.timeUntil("/bare", 1), call(`${bare.url}/alert/1?to=${to}`));
        return { value: await time(receiver.timeUntil("/hook", 1), push(beat, "fail")), baseline, operations: 1 };
      },
    },
    {
      ...{ name: "failure to public page", unit: "ms", baseline: "object call with one row" },
      async round() {
        await reach(push(beat, "ok"), () => shows("up"));
        const from = performance.now();
        await call(`${bare.url}/object/1`);
        const baseline = performance.now() - from;
        const began = performance.now();
        await reach(push(beat, "fail"), () => shows("down"));
        return { value: performance.now() - began, baseline, operations: 1 };
      },
    },
  ];
}

/** One change of status to many receivers, of which the first never answers. */
export async function measureFanOut(rig: Rig): Promise<Measure[]> {
  const { bare, receiver, post, scale } = rig;
  const monitor = await post("/monitors", { name: "Fan", type: "heartbeat", expected_interval: 3600 });
  const slug = "bench-fan";
  await post("/status-pages", { name: "Fan", slug, monitors: [monitor.id] });
  const beat = monitor.push_urls?.heartbeat ?? "";
  const shows = showsOn(rig, slug);
  for (let from = 0; from < scale.receivers; from += CREATED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CREATED_AT_ONCE, scale.receivers - from) }, (_, n) => from + n);
    await Promise.all(
      numbers.map((n) => {
        const url = `${receiver.url}/${n === 0 ? "hanging" : "fan"}/${n}`;
        return post("/webhooks", { name: `Receiver ${n}`, url, events: ["monitor.up"] });
      }),
    );
  }
  const answering = scale.receivers - 1;
  return [
    {
      ...{ name: `last of ${answering} receivers, one more hanging`, unit: "ms", baseline: "object, queue, requests" },
      async round() {
        await reach(push(beat, "fail"), () => shows("down"));
        const to = encodeURIComponent(`${receiver.url}/bare`);
        const all = receiver.timeUntil("/bare", answering);
        const baseline = await time(all, call(`${bare.url}/alert/${answering}?to=${to}`));
        const value = await time(receiver.timeUntil("/fan", answering), push(beat, "ok"));
        return { value, baseline, operations: scale.receivers };
      },
    },
  ];
}

function showsOn({ service }: Rig, slug: string) {
  return async (status: string): Promise<boolean> => {
    const response = await fetch(`${service.url}/status/${slug}/summary.json`);
    return ((await response.json()) as { monitors: { status: string }[] }).monitors[0]?.status === status;
  };
}

async function reach(sent: Promise<void>, isReached: () => Promise<boolean>): Promise<void> {
  await sent;
  while (!(await isReached())) await sleep(LOOK_EVERY_MS);
}

/** The arrivals are waited for from before the call on. */
async function time(arrived: Promise<number>, called: Promise<void>): Promise<number> {
  const [wait] = await Promise.all([arrived, called]);
  return wait;
}

function push(beat: string, status: "ok" | "fail"): Promise<void> {
  const url = new URL(beat);
  url.searchParams.set("status", status);
  return call(url.href);
}

async function call(address: string): Promise<void> {
  const response = await fetch(address);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
}
