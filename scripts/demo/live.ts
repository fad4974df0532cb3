import { Backoff } from "../../src/agent/backoff.ts";
import type { CheckedResult } from "../../src/agent/buffer.ts";
import type { Checked } from "../../src/agent/checker.ts";
import { sleep } from "../../src/agent/clock.ts";
import { executeCommand } from "../../src/agent/command-execution.ts";
import { CommandLoop } from "../../src/agent/commands.ts";
import { Connection } from "../../src/agent/connection.ts";
import { createLog } from "../../src/agent/log.ts";
import { Scheduler } from "../../src/agent/scheduler.ts";
import { Uplink } from "../../src/agent/uplink.ts";
import { UplinkError } from "../../src/agent/uplink-error.ts";
import type { AgentAssignment } from "../../src/contract/agent.ts";
import { chance } from "./chance.ts";
import { MONITORS } from "./company.ts";
import { HOUR_MS, latencyAt, type Measured, MINUTE_MS, measure } from "./past.ts";
import { OPEN_STORY } from "./stories.ts";

/** What the demonstration keeps beside the service, in its state directory: the credentials of what it plays. */
export interface DemoRecord {
  agents: { hostname: string; token: string }[];
  /** By the path of its address: the port may change from start to start. */
  heartbeats: { path: string; every_seconds: number }[];
}

/** The service takes as many results at a time. */
const RESULTS_MAX = 500;
const UPLOAD_MS = 2_000;
const REFRESH_MS = 30_000;
/** So often each host is measured, before as from then on: a chart joins what is as far apart. */
export const HOST_MS = 5 * MINUTE_MS;
/** A heartbeat comes well before it is missed. */
const HEARTBEAT_SHARE = 0.6;
const HEARTBEAT_LOOK_MS = 30_000;

const plans = new Map(MONITORS.map((monitor) => [monitor.name, monitor]));

/** What a check finds now. Monitors that people added to the demonstration's agents are up, too: nothing is asked. */
export function measurePresent(name: string, now: number): Measured {
  const plan = plans.get(name);
  if (!plan)
    return {
      status: "up",
      latency_ms: 40 + Math.round(30 * chance(name, Math.floor(now / MINUTE_MS))),
      message: "answered",
    };
  if (plan.present === "down") return { status: "down", latency_ms: null, message: OPEN_STORY.cause };
  if (plan.present === "up") return measure(plan, [], now);
  const latency_ms = (latencyAt(plan, now) ?? 0) * 5;
  return { status: "degraded", latency_ms, message: `answered in ${latency_ms.toLocaleString("en")} ms` };
}

/**
 * Plays the agents and the jobs of the demonstration: by the real agent's own schedule, commands and uplink, with results
 * that are made up. It reaches nothing but the service. Ends when the signal fires; calls `onRemoved` once the service
 * knows its agents no more.
 */
export async function playPresent(
  url: string,
  record: DemoRecord,
  { signal, onRemoved }: { signal: AbortSignal; onRemoved: () => void },
): Promise<void> {
  const removed = new AbortController();
  const ends = AbortSignal.any([signal, removed.signal]);
  const onUnknown = () => {
    if (ends.aborted) return;
    removed.abort();
    onRemoved();
  };
  await Promise.all([
    ...record.agents.map((agent) => playAgent(url, agent, { signal: ends, onUnknown })),
    sendHeartbeats(url, record, ends),
  ]);
}

interface Play {
  signal: AbortSignal;
  onUnknown(): void;
}

async function playAgent(url: string, agent: DemoRecord["agents"][number], { signal, onUnknown }: Play): Promise<void> {
  const uplink = new Uplink({ url, token: () => agent.token });
  const log = createLog("error", () => {});
  const connection = new Connection(log, Date.now);
  const results: CheckedResult[] = [];
  let etag: string | null = null;
  const scheduler = new Scheduler({
    now: Date.now,
    check: async (assignment) => checkedOf(assignment),
    onResult: (_, result) => void results.push(result),
    onError: () => {},
  });
  const refreshAssignments = async () => {
    const answer = await uplink.assignments(etag);
    if (!answer) return;
    etag = answer.etag;
    scheduler.assign(answer.assignments);
  };
  const flush = async () => {
    while (results.length > 0) {
      const sent = results.slice(0, RESULTS_MAX);
      await uplink.submitResults(
        sent.map(({ is_settled: _, ...result }) => ({
          ...result,
          checked_at: new Date(result.checked_at).toISOString(),
        })),
      );
      results.splice(0, sent.length);
    }
  };
  const refuse = async () => {
    throw new Error("the agents of a demonstration only play their checks");
  };
  const commands = new CommandLoop({
    uplink,
    connection,
    log,
    now: Date.now,
    execute: (command) =>
      command.type === "check_now"
        ? executeCommand(command, {
            scheduler,
            sender: { flush },
            refreshAssignments,
            reportDiscoveries: refuse,
            checkOnce: refuse,
            update: refuse,
          })
        : refuse(),
    monitorsChanged: refreshAssignments,
    acknowledged: () => {},
    pauseMs: () => 0,
  });
  await uplinkLoop(REFRESH_MS, refreshAssignments, { signal, onUnknown, isOnce: true });
  await Promise.all([
    uplinkLoop(REFRESH_MS, refreshAssignments, { signal, onUnknown }),
    uplinkLoop(UPLOAD_MS, flush, { signal, onUnknown }),
    uplinkLoop(HOST_MS, () => reportHost(uplink, agent.hostname, Date.now()), { signal, onUnknown }),
    commands.run(signal),
  ]);
  await scheduler.stop();
}

/** Calls again and again; a service that does not know the agent any more ends it. */
async function uplinkLoop(
  everyMs: number,
  call: () => Promise<void>,
  { signal, onUnknown, isOnce }: Play & { isOnce?: boolean },
) {
  const backoff = new Backoff();
  while (!signal.aborted) {
    let pause = everyMs;
    try {
      await call();
      if (isOnce) return;
      backoff.reset();
    } catch (error) {
      if (error instanceof UplinkError && error.kind === "unauthorized") onUnknown();
      pause = backoff.next(error);
    }
    await sleep(pause, signal);
  }
}

function checkedOf({ id, name }: Pick<AgentAssignment, "id" | "name">): Checked {
  const now = Date.now();
  return { ok: true, result: { monitor_id: id, checked_at: now, details: {}, ...measurePresent(name, now) } };
}

/** A host that breathes, with a disk that fills slowly. */
export async function reportHost(uplink: Uplink, hostname: string, now: number): Promise<void> {
  await uplink.reportMetrics(hostAt(hostname, now));
}

export function hostAt(hostname: string, at: number) {
  const minute = Math.floor(at / HOST_MS) * (HOST_MS / MINUTE_MS);
  const wave = Math.sin((at / HOUR_MS / 24) * 2 * Math.PI);
  return {
    collected_at: new Date(minute * MINUTE_MS).toISOString(),
    cpu_percent: Math.round(24 + 9 * wave + 10 * chance(hostname, minute)),
    memory_percent: Math.round(51 + 4 * wave + 3 * chance(`${hostname} memory`, minute)),
    disk_percent: 62,
  };
}

async function sendHeartbeats(url: string, { heartbeats }: DemoRecord, signal: AbortSignal): Promise<void> {
  const dueAt = new Map(heartbeats.map(({ path }) => [path, 0]));
  while (!signal.aborted) {
    for (const { path, every_seconds } of heartbeats) {
      if ((dueAt.get(path) ?? 0) > Date.now()) continue;
      // One that does not arrive is sent with the next look; the monitor says so if none does.
      const isTaken = await fetch(url + path, { method: "POST", signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isTaken) dueAt.set(path, Date.now() + every_seconds * 1000 * HEARTBEAT_SHARE);
    }
    await sleep(HEARTBEAT_LOOK_MS, signal);
  }
}
