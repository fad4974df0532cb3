import { setTimeout as sleep } from "node:timers/promises";
import { settleHanging } from "./checks.ts";
import { LatenessLog } from "./lateness.ts";
import { type Measure, quantile, type Round } from "./measures.ts";
import type { Rig } from "./rig.ts";
import { turn } from "./turns.ts";

const INTERVAL_SECONDS = 10;
const CREATED_AT_ONCE = 8;
const TIMER_MS = 100;
const LOOK_EVERY = 20;
/** One target in twenty does not answer. */
const HANGING_SHARE = 0.05;

interface Watched {
  checks: number;
  cpu: number;
  bytes: number;
  log: LatenessLog;
  timer: number[];
}

/** Checked monitors at work; all measures are of the same time. */
export async function measureChecks(rig: Rig): Promise<Measure[]> {
  const { receiver, scale, service } = rig;
  await createChecked(rig, scale.checked, receiver.url);
  // Until all are known to be up, and planned like those of old.
  await sleep(2 * scale.watchedMs);
  const watching = watchIn(rig);
  const before = service.residentBytes();
  return [
    watching.measure("check"),
    watching.lateness("lateness of checks, p99"),
    {
      name: "slots without a check",
      unit: "slots",
      baseline: "limit",
      round: async () => ({ value: (await watching.latest()).log.missed, baseline: 0 }),
    },
    {
      name: "bytes kept of a check",
      unit: "bytes",
      baseline: "limit",
      async round() {
        const { bytes, checks } = await watching.latest();
        return { value: bytes / checks, baseline: 8 };
      },
    },
    {
      name: "memory of the runtime",
      unit: "MB",
      baseline: "before the first round",
      round: async () => ({ value: service.residentBytes() / 1e6, baseline: before / 1e6 }),
    },
  ];
}

/** The same monitors while others time out: those must cost healthy ones neither work nor time. */
export async function measureHanging(rig: Rig): Promise<Measure[]> {
  const { receiver, scale, service } = rig;
  const count = Math.ceil(scale.checked * HANGING_SHARE);
  await createChecked(rig, count, `${receiver.url}/hanging`);
  if (scale.settles) await settleHanging(service, count);
  const watching = watchIn(rig);
  return [
    watching.measure(`check beside ${count} that time out`),
    watching.lateness(`lateness beside ${count} that time out, p99`),
  ];
}

async function createChecked({ post }: Rig, count: number, target: string): Promise<void> {
  for (let from = 0; from < count; from += CREATED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(CREATED_AT_ONCE, count - from) }, (_, n) => from + n);
    const made = numbers.map((n) =>
      post("/monitors", { name: `Web ${n}`, type: "http", interval: INTERVAL_SECONDS, target: `${target}/${n}` }),
    );
    await Promise.all(made);
  }
}

function watchIn(rig: Rig) {
  const { receiver, scale } = rig;
  let watched: Watched | undefined;
  const latest = () => (watched ? Promise.resolve(watched) : Promise.reject(new Error("nothing was watched yet")));
  return {
    latest,
    /** The first measure of a round: watches. */
    measure: (name: string): Measure => ({
      name,
      unit: "CPU ms",
      baseline: "one fetch",
      async round(): Promise<Round> {
        const to = encodeURIComponent(`${receiver.url}/baseline`);
        const bare = await turn([`${rig.bare.url}/fetch/1?to=${to}`], rig.bare.cpuSeconds, { turnMs: scale.turnMs });
        watched = await watch(rig);
        const { checks, cpu } = watched;
        return { value: cpu / checks, baseline: bare.cpu, operations: checks, cpu: cpu / checks };
      },
    }),
    lateness: (name: string): Measure => ({
      name,
      unit: "ms",
      baseline: "of a timer",
      async round() {
        const { log, timer } = await latest();
        return { value: log.at(0.99), baseline: quantile(timer, 0.99) };
      },
    }),
  };
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
