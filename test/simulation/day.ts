import type { Scheduled } from "./faults.ts";
import type { Program } from "./isolate.ts";
import { Judge, Violation } from "./judge.ts";
import { Outside } from "./outside.ts";
import { Random } from "./random.ts";
import { Service } from "./service.ts";
import { Job, Receiver, type Rhythm, Site } from "./targets.ts";
import { drawFrom } from "./truth.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const API = "/api/uptime/v1";

/** A part of the day: first everything goes wrong, then receivers recover, then the platform; in the end all is settled. */
const PART_MS = 3 * HOUR;
const SHORT_PART_MS = 1.5 * HOUR;
const RECEIVERS_RECOVER = 1 / 2;
const PLATFORM_RECOVERS = 2 / 3;
const PARTS_OF_DAY = 8;
/** An agent calls more often than anything else, so that not every seed has one. */
const ONE_WITH_AGENT_IN = 3;

export const PAGE_PATH = "/status/example/summary.json";
export const HEARTBEAT_EVERY_MS = MINUTE;
export const MONITORS_PATH = `${API}/monitors`;
export const GRACE_MS = 30 * SECOND;

/** A time for which the operator asked for silence; unsure where the answer to the request got lost. */
interface Mute {
  from: number;
  to: number;
  isSure: boolean;
}

/** A site with the monitor that checks it. */
export interface Watched {
  id: string;
  name: string;
  site: Site;
  /** Its failing checks in a row, and successful ones, that open and end an outage. */
  failures: number;
  successes: number;
  /** So quick that its alerts are damped. */
  isQuick: boolean;
  mutes: Mute[];
}

/** What is judged. */
export interface World {
  service: Service;
  watched: Watched[];
  job: Job;
  receivers: Receiver[];
  job_id: string;
  outside: Outside;
  /** With which the owner calls the API, and somebody else. */
  token: string;
  stranger: string;
  isCalm: boolean;
}

export interface Simulated {
  seed: number;
  /** One short part of it instead of a whole day. */
  isShort: boolean;
  /** Names of the faults that happen, instead of those that chance would have. */
  only?: readonly string[] | null;
  /** Nothing happens by chance: the platform and receivers fail only as the schedule says. */
  isCalm?: boolean;
  /** Faults that happen besides. */
  schedule?: readonly Scheduled[];
}

export interface Outcome {
  seed: number;
  violation: string | null;
  /** What led to it, oldest first. */
  trail: string[];
  /** How often each fault happened, and all of them by their names. */
  faults: ReadonlyMap<string, number>;
  happened: readonly string[];
}

/** Lets a simulated day, or a short part of it, happen and judges it as it goes. A seed always gives the same day. */
export async function simulateDay(
  program: Program,
  { seed, isShort, only = null, isCalm = false, schedule = [] }: Simulated,
): Promise<Outcome> {
  const service = new Service(program, seed);
  const random = new Random(seed ^ 0x5eed);
  const world = { ...(await furnish(service, random, seed % ONE_WITH_AGENT_IN === 0)), isCalm };
  const judge = new Judge(world);
  const outcome = (violation: string | null): Outcome => ({
    seed,
    violation,
    trail: judge.trail,
    faults: service.faults.counts,
    happened: service.faults.happened,
  });
  service.faults.only = only && new Set(only);
  service.faults.intensity = random.pick([0.3, 1, 1, 3]);
  try {
    service.faults.schedule = schedule;
    if (isShort) await simulatePart(world, judge, SHORT_PART_MS);
    else for (let part = 0; part < PARTS_OF_DAY; part++) await simulatePart(world, judge, PART_MS);
    return outcome(null);
  } catch (error) {
    if (error instanceof Violation) return outcome(error.message);
    return outcome(`the simulation itself: ${error instanceof Error ? error.stack : error}`);
  }
}

async function simulatePart(world: World, judge: Judge, lastsMs: number): Promise<void> {
  const { service, watched, job, receivers, outside, isCalm } = world;
  const begin = service.clock.now;
  const receiversRecoverAt = begin + lastsMs * RECEIVERS_RECOVER;
  for (const { site } of watched) site.plan(receiversRecoverAt);
  job.plan(receiversRecoverAt);
  service.faults.isActive = !isCalm;
  for (const each of [...receivers, outside]) each.isIll = !isCalm;
  for (let at = begin + MINUTE; at <= begin + lastsMs; at += MINUTE) {
    if (at > receiversRecoverAt) for (const each of [...receivers, outside]) each.isIll = false;
    if (at > begin + lastsMs * PLATFORM_RECOVERS) service.faults.isActive = false;
    // Readers of the page, so that what is cached of it is what they saw.
    void service.request("GET", PAGE_PATH);
    await service.runUntil(at);
    judge.judgeMinute();
  }
  await judge.judgeSettled();
}

const SLOW_RHYTHM: Rhythm = { well: [6 * MINUTE, 60 * MINUTE], ill: [20 * SECOND, 40 * MINUTE] };
const CUT_OFF_RHYTHM: Rhythm = { well: [4 * MINUTE, 20 * MINUTE], ill: [MINUTE, 15 * MINUTE], isCutOff: true };
const QUICK_RHYTHM: Rhythm = { well: [20 * SECOND, 3 * MINUTE], ill: [20 * SECOND, 3 * MINUTE] };

/**
 * Sites that fail by themselves, four that fail together, as bundled alerts need it, and one whose outages an agent of
 * another network is asked about.
 */
const SITES = [
  { name: "Shop", rhythm: SLOW_RHYTHM },
  { name: "Search", rhythm: QUICK_RHYTHM, settings: { interval: 10, failure_threshold: 1, recovery_threshold: 1 } },
  { name: "Intranet", rhythm: SLOW_RHYTHM, isMuted: true },
  ...["One", "Two", "Three", "Four"].map((name) => ({ name, rhythm: SLOW_RHYTHM, isTogether: true })),
  { name: "Remote", rhythm: CUT_OFF_RHYTHM, isConfirmed: true },
];
const FAILURES_BY_DEFAULT = 3;
const SUCCESSES_BY_DEFAULT = 2;
const MUTE_MS = [10 * MINUTE, 50 * MINUTE] as const;
const BETWEEN_MUTES_MS = [15 * MINUTE, 90 * MINUTE] as const;

async function furnish(service: Service, random: Random, hasAgent: boolean): Promise<Omit<World, "isCalm">> {
  const { clock, network } = service;
  const receivers = [new Receiver(clock, random.fork()), new Receiver(clock, random.fork())];
  const [token, stranger] = [service.createAccount("Owner"), service.createAccount("Stranger")];
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await service.await(service.request("POST", `${API}${path}`, { token, body }));
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const page = await post("/status-pages", { name: "Example", slug: "example", auto_create_incident: true });
  const status_page_id = page.id;
  for (const [n, receiver] of receivers.entries()) {
    network.open(`receiver-${n}.example.com`, receiver.host);
    await post("/webhooks", { name: `Receiver ${n}`, url: `https://receiver-${n}.example.com/`, status_page_id });
  }
  const watched: Watched[] = [];
  const sites = (SITES as readonly SiteOptions[]).filter(({ isConfirmed }) => hasAgent || !isConfirmed);
  let shared: Site["truth"] | undefined;
  const seenBy = new Map<string, Site>();
  for (const { name, rhythm, settings, isMuted, isTogether, isConfirmed } of sites) {
    const site = new Site(clock, random.fork(), rhythm, isTogether ? shared : undefined);
    if (isTogether) shared = site.truth;
    const host = `${name.toLowerCase()}.example.com`;
    network.open(host, site.host);
    const target = `http://${host}/`;
    const confirm_outside = isConfirmed ? null : false;
    const monitor = { name, type: "http", target, status_page_id, confirm_outside, ...settings };
    const { id = "" } = await post("/monitors", monitor);
    if (isConfirmed) seenBy.set(id, site);
    const { failure_threshold: failures = FAILURES_BY_DEFAULT, recovery_threshold: successes = SUCCESSES_BY_DEFAULT } =
      settings ?? {};
    const mutes: Mute[] = [];
    watched.push({ id, name, site, failures, successes, isQuick: rhythm === QUICK_RHYTHM, mutes });
    if (isMuted) muteNowAndThen(service, random.fork(), { token, path: `${API}/monitors/${id}`, mutes });
  }
  const job = new Job(clock, random.fork());
  const beating = await post("/monitors", {
    name: "Backup",
    type: "heartbeat",
    expected_interval: HEARTBEAT_EVERY_MS / SECOND,
    grace_seconds: GRACE_MS / SECOND,
    status_page_id,
  });
  sendHeartbeats(service, random.fork(), { job, path: `/heartbeat/${beating.id}?token=${beating.heartbeat_token}` });
  const outside = new Outside(service, random.fork(), seenBy);
  if (hasAgent) await outside.enroll(token);
  return { service, watched, job, receivers, outside, job_id: beating.id ?? "", token, stranger };
}

interface SiteOptions {
  name: string;
  rhythm: Rhythm;
  settings?: { interval: number; failure_threshold: number; recovery_threshold: number };
  isMuted?: boolean;
  isTogether?: boolean;
  isConfirmed?: boolean;
}

function sendHeartbeats(service: Service, random: Random, { job, path }: { job: Job; path: string }): void {
  const { clock } = service;
  const beat = async () => {
    clock.after(HEARTBEAT_EVERY_MS - random.between(0, 2 * SECOND), () => void beat());
    if (job.truth.at(clock.now).state === "hangs") return;
    const sentAt = clock.now;
    const { status } = await service.request("POST", path);
    const ms = clock.now - sentAt;
    if (ms > job.slowest.ms) job.slowest = { sentAt, ms };
    if (status === 200) job.acknowledged.push({ sentAt, answeredAt: clock.now });
  };
  clock.after(random.between(0, HEARTBEAT_EVERY_MS), () => void beat());
}

/** What the operator does with a monitor that is worked on. */
function muteNowAndThen(
  service: Service,
  random: Random,
  { token, path, mutes }: { token: string; path: string; mutes: Mute[] },
): void {
  const { clock } = service;
  const mute = async () => {
    const lastsMs = drawFrom(random, MUTE_MS);
    clock.after(lastsMs + drawFrom(random, BETWEEN_MUTES_MS), () => void mute());
    const from = clock.now;
    const body = { muted_until: new Date(from + lastsMs).toISOString() };
    const asked: Mute = { from, to: from + lastsMs, isSure: false };
    mutes.push(asked);
    const { status } = await service.request("PUT", path, { token, body });
    asked.isSure = status === 200;
  };
  clock.after(drawFrom(random, BETWEEN_MUTES_MS), () => void mute());
}
