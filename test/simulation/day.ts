import type { Program } from "./isolate.ts";
import { Judge, Violation } from "./judge.ts";
import { Random } from "./random.ts";
import { Service } from "./service.ts";
import { Job, Receiver, Site } from "./targets.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const API = "/api/uptime/v1";

/** A part of the day: first everything goes wrong, then receivers recover, then the platform; in the end all is settled. */
const PART_MS = 3 * HOUR;
const RECEIVERS_RECOVER_MS = 1.5 * HOUR;
const PLATFORM_RECOVERS_MS = 2 * HOUR;
export const PARTS_OF_DAY = 8;

export const HEARTBEAT_EVERY_MS = MINUTE;
export const GRACE_MS = 30 * SECOND;

/** What is judged. */
export interface World {
  service: Service;
  site: Site;
  job: Job;
  receivers: Receiver[];
  site_id: string;
  job_id: string;
}

export interface Outcome {
  seed: number;
  violation: string | null;
  /** What led to it, oldest first. */
  trail: string[];
  faults: ReadonlyMap<string, number>;
}

/** Lets a simulated day, or a few of its parts, happen and judges it as it goes. A seed always gives the same day. */
export async function simulateDay(program: Program, seed: number, parts = PARTS_OF_DAY): Promise<Outcome> {
  const service = new Service(program, seed);
  const random = new Random(seed ^ 0x5eed);
  const world = await furnish(service, random);
  const judge = new Judge(world);
  const outcome = (violation: string | null): Outcome => ({
    seed,
    violation,
    trail: judge.trail,
    faults: service.faults.counts,
  });
  service.faults.intensity = random.pick([0.3, 1, 1, 3]);
  try {
    for (let part = 0; part < parts; part++) await simulatePart(world, judge);
    return outcome(null);
  } catch (error) {
    if (error instanceof Violation) return outcome(error.message);
    return outcome(`the simulation itself: ${error instanceof Error ? error.stack : error}`);
  }
}

async function simulatePart(world: World, judge: Judge): Promise<void> {
  const { service, site, job, receivers } = world;
  const begin = service.clock.now;
  site.plan(begin + RECEIVERS_RECOVER_MS);
  job.plan(begin + RECEIVERS_RECOVER_MS);
  service.faults.isActive = true;
  for (const receiver of receivers) receiver.isIll = true;
  for (let at = begin + MINUTE; at <= begin + PART_MS; at += MINUTE) {
    if (at > begin + RECEIVERS_RECOVER_MS) for (const receiver of receivers) receiver.isIll = false;
    if (at > begin + PLATFORM_RECOVERS_MS) service.faults.isActive = false;
    await service.runUntil(at);
    judge.judgeMinute();
  }
  await judge.judgeSettled();
}

async function furnish(service: Service, random: Random): Promise<World> {
  const { clock, network } = service;
  const site = new Site(clock, random.fork());
  const job = new Job(clock, random.fork());
  const receivers = [new Receiver(random.fork()), new Receiver(random.fork())];
  network.open("shop.example.com", site.host);
  for (const [n, receiver] of receivers.entries()) network.open(`receiver-${n}.example.com`, receiver.host);

  const token = service.createAccount();
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await service.await(service.request("POST", `${API}${path}`, { token, body }));
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const page = await post("/status-pages", { name: "Example", slug: "example", auto_create_incident: true });
  const status_page_id = page.id;
  for (const n of receivers.keys()) {
    await post("/webhooks", { name: `Receiver ${n}`, url: `https://receiver-${n}.example.com/`, status_page_id });
  }
  const watched = await post("/monitors", {
    name: "Shop",
    type: "http",
    target: "http://shop.example.com/",
    status_page_id,
  });
  const beating = await post("/monitors", {
    name: "Backup",
    type: "heartbeat",
    expected_interval: HEARTBEAT_EVERY_MS / SECOND,
    grace_seconds: GRACE_MS / SECOND,
    status_page_id,
  });
  const path = `/heartbeat/${beating.id}?token=${beating.heartbeat_token}`;
  const beat = async () => {
    clock.after(HEARTBEAT_EVERY_MS - random.between(0, 2 * SECOND), () => void beat());
    if (job.truth.at(clock.now).state === "hangs") return;
    const sentAt = clock.now;
    const { status } = await service.request("POST", path);
    if (status === 200) job.acknowledged.push({ sentAt, answeredAt: clock.now });
  };
  clock.after(random.between(0, HEARTBEAT_EVERY_MS), () => void beat());
  return { service, site, job, receivers, site_id: watched.id ?? "", job_id: beating.id ?? "" };
}
