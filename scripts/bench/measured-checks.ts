import { setTimeout as sleep } from "node:timers/promises";
import { LatenessLog } from "./lateness.ts";
import { type Measure, quantile, type Round } from "./measures.ts";
import type { Rig } from "./rig.ts";
import { turn } from "./turns.ts";

const INTERVAL_SECONDS = 10;
const CREATED_AT_ONCE = 8;
const TIMER_MS = 100;
const LOOK_EVERY = 20;

interface Watched {
  checks: number;
  cpu: number;
  bytes: number;
  log: LatenessLog;
  timer: number[];
}

/** Checked monitors at work; the three measures are of the same time. */
export async function measureChecks(rig: Rig): Promise<Measure[]> {
  const { receiver, scale, post } = rig;
  for (let from = 0; from < scale.checked; from += CREATED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CREATED_AT_ONCE, scale.checked - from) }, (_, n) => from + n);
    const made = numbers.map((n) =>
      post("/monitors", { name: `Web ${n}`, type: "http", interval: INTERVAL_SECONDS, target: `${receiver.url}/${n}` }),
    );
    await Promise.all(made);
  }
  // Until all are known to be up, and planned like those of old.
  await sleep(2 * scale.watchedMs);
  let watched: Watched | undefined;
  const latest = () => watched ?? Promise.reject(new Error("nothing was watched yet"));
  return [
    {
      ...{ name: "check", unit: "CPU ms", baseline: "one fetch" },
      async round(): Promise<Round> {
        const to = encodeURIComponent(`${receiver.url}/baseline`);
        const bare = await turn([`${rig.bare.url}/fetch/1?to=${to}`], rig.bare.cpuSeconds, { turnMs: scale.turnMs });
        watched = await watch(rig);
        const { checks, cpu } = watched;
        return { value: cpu / checks, baseline: bare.cpu, operations: checks, cpu: cpu / checks };
      },
    },
    {
      ...{ name: "lateness of checks, p99", unit: "ms", baseline: "of a timer" },
      async round() {
        const { log, timer } = await latest();
        return { value: log.at(0.99), baseline: quantile(timer, 0.99) };
      },
    },
    {
      ...{ name: "bytes kept of a check", unit: "bytes", baseline: "limit" },
      async round() {
        const { bytes, checks } = await latest();
        return { value: bytes / checks, baseline: 8 };
      },
    },
  ];
}

async function watch({ service, receiver, scale }: Rig): Promise<Watched> {
  const bytes = await service.usedBytes();
  const [cpu, checks, from] = [service.cpuSeconds(), receiver.count(), Date.now()];
  const timer: number[] = [];
  const log = new LatenessLog(from);
  while (Date.now() < from + scale.watchedMs) {
    const began = performance.now();
    await sleep(TIMER_MS);
    timer.push(performance.now() - began - TIMER_MS);
    if (timer.length % LOOK_EVERY === 0) await log.note(service);
  }
  const watched = { checks: receiver.count() - checks, cpu: 1000 * (service.cpuSeconds() - cpu) };
  return { ...watched, bytes: (await service.usedBytes()) - bytes, log, timer };
}
