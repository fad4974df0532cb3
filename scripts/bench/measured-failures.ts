import { setTimeout as sleep } from "node:timers/promises";
import { type Measure, median } from "./measures.ts";
import type { Rig } from "./rig.ts";

const LOOK_EVERY_MS = 2;
const CREATED_AT_ONCE = 8;
const COMPOSITE_MEMBERS = 50;

/** From a pushed failure to those who have to know of it. */
export async function measureFailures(rig: Rig): Promise<Measure[]> {
  const { bare, receiver, post } = rig;
  const monitor = await post("/monitors", { name: "Job", type: "heartbeat", expected_interval: 3600 });
  const slug = "bench-failures";
  const page = await post("/status-pages", { name: "Jobs", slug, monitors: [monitor.id] });
  const url = `${receiver.url}/hook`;
  await post("/webhooks", { name: "Jobs", url, events: ["monitor.down"], status_page_id: page.id });
  const beat = monitor.push_urls?.heartbeat ?? "";
  const shows = showsOn(rig, slug);
  const to = encodeURIComponent(`${receiver.url}/bare`);
  const slowest = { value: Number.NaN, baseline: Number.NaN };
  return [
    {
      name: "failure to webhook",
      unit: "ms",
      baseline: "object, queue, request",
      async round() {
        const [values, baselines]: [number[], number[]] = [[], []];
        for (let n = 0; n < rig.scale.failures; n++) {
          await reach(push(beat, "ok"), () => shows("up"));
          baselines.push(await time(receiver.timeUntil("/bare", 1), call(`${bare.url}/alert/1?to=${to}`)));
          values.push(await time(receiver.timeUntil("/hook", 1), push(beat, "fail")));
        }
        Object.assign(slowest, { value: Math.max(...values), baseline: Math.max(...baselines) });
        // Each with the recovery before it.
        return { value: median(values), baseline: median(baselines), operations: rig.scale.failures };
      },
    },
    {
      name: `failure to webhook, slowest of ${rig.scale.failures}`,
      unit: "ms",
      baseline: "object, queue, request",
      round: async () => ({ ...slowest }),
    },
    {
      name: "failure to public page",
      unit: "ms",
      baseline: "object call with one row",
      async round() {
        await reach(push(beat, "ok"), () => shows("up"));
        const baseline = await timeBareCall(rig);
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
  const page = await post("/status-pages", { name: "Fan", slug, monitors: [monitor.id] });
  const beat = monitor.push_urls?.heartbeat ?? "";
  const shows = showsOn(rig, slug);
  for (let from = 0; from < scale.receivers; from += CREATED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CREATED_AT_ONCE, scale.receivers - from) }, (_, n) => from + n);
    await Promise.all(
      numbers.map((n) => {
        const url = `${receiver.url}/${n === 0 ? "hanging" : "fan"}/${n}`;
        return post("/webhooks", { name: `Receiver ${n}`, url, events: ["monitor.up"], status_page_id: page.id });
      }),
    );
  }
  const answering = scale.receivers - 1;
  return [
    {
      name: `last of ${answering} receivers, one more hanging`,
      unit: "ms",
      baseline: "object, queue, requests",
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

/** A member of a large composite changes; until the composite has changed with it. */
export async function measureComposite(rig: Rig): Promise<Measure[]> {
  const { post } = rig;
  const size = Math.min(COMPOSITE_MEMBERS, rig.scale.failing);
  const made = await Promise.all(
    Array.from({ length: size }, (_, n) =>
      post("/monitors", { name: `Part ${n}`, type: "heartbeat", expected_interval: 3600 }),
    ),
  );
  const beats = made.map(({ push_urls }) => push_urls?.heartbeat ?? "");
  const composite = await post("/monitors", {
    name: "Whole",
    type: "composite",
    child_ids: made.map(({ id }) => id),
  });
  const slug = "bench-composite";
  await post("/status-pages", { name: "Whole", slug, monitors: [composite.id] });
  const shows = showsOn(rig, slug);
  await Promise.all(beats.map((beat) => push(beat, "ok")));
  await reach(Promise.resolve(), () => shows("up"));
  const [beat = ""] = beats;
  return [
    {
      name: `composite of ${size}, one fails`,
      unit: "ms",
      baseline: "object call with one row",
      async round() {
        await reach(push(beat, "ok"), () => shows("up"));
        const baseline = await timeBareCall(rig);
        const began = performance.now();
        await reach(push(beat, "fail"), async () => !(await shows("up")));
        // The failure and the recovery.
        return { value: performance.now() - began, baseline, operations: 2 };
      },
    },
  ];
}

async function timeBareCall({ bare }: Rig): Promise<number> {
  const from = performance.now();
  await call(`${bare.url}/object/1`);
  return performance.now() - from;
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
