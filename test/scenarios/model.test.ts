import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { syncMonitor } from "../../src/checks/projection.ts";
import { runSlot } from "../../src/checks/runner.ts";
import type { CheckMessage } from "../../src/contract/messages.ts";
import { openDb } from "../../src/data/db.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { checkGroups, monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { staleAfterMs } from "../../src/domain/check-schedule.ts";
import {
  decide,
  initialState,
  type MonitorInput,
  type MonitorRules,
  type Transition,
} from "../../src/domain/monitor-state.ts";
import { createAccount } from "../support/factories.ts";
import { sweepChecks } from "../support/minute.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { recordingEnv } from "../support/queues.ts";

/**
 * The whole path (runner, object, queue, consumer, D1) against the pure rules: with anything evicted, repeated, lost or
 * fails on the way, D1 ends up with exactly the transitions that the rules give for the same checks.
 */

const INTERVAL_S = 60;
const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");
afterEach(() => vi.useRealTimers());

const RULES: MonitorRules = {
  failure_threshold: 2,
  recovery_threshold: 2,
  regions: [],
  region_policy: "majority",
  schedule: { interval_ms: INTERVAL_S * 1000, retry_interval_ms: 20_000 },
  stale_after_ms: staleAfterMs(INTERVAL_S),
};

type Step =
  | { kind: "check"; isUp: boolean; fault: "none" | "repeated" | "database fails" | "evicted" | "answer lost" }
  | { kind: "retry"; isUp: boolean }
  | { kind: "pause" }
  | { kind: "resume" }
  | { kind: "nothing runs for an hour" };

const isUp = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("check" as const),
      isUp,
      fault: fc.constantFrom("none" as const, "none", "repeated", "database fails", "evicted", "answer lost"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("retry" as const), isUp }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ kind: "pause" }, { kind: "resume" }, { kind: "nothing runs for an hour" }),
  },
);

/** D1 that reads but refuses every write. */
const readOnly = new Proxy(env.DB, {
  get(target, name) {
    const member = Reflect.get(target, name);
    if (name !== "batch") return typeof member === "function" ? member.bind(target) : member;
    return async (statements: D1PreparedStatement[]) => {
      const isRead = statements.every((statement) => /^\W*select/i.test(Reflect.get(statement, "statement") ?? ""));
      if (isRead) return target.batch(statements);
      throw new Error("D1_ERROR: the database does not answer");
    };
  },
});

class Stage {
  readonly id: string;
  readonly groupId: string;
  #state = initialState(Date.now());
  #expected: Transition[] = [];
  #retry: CheckMessage | undefined;
  #version = 1;
  #hasRun = false;
  /** Whether the latest slot of the group has a result of the monitor. */
  #isInLatest = false;

  constructor(monitor: { id: string; check_group_id: string }) {
    this.id = monitor.id;
    this.groupId = monitor.check_group_id;
  }

  async perform(step: Step): Promise<void> {
    switch (step.kind) {
      case "check":
        vi.setSystemTime(Date.now() + INTERVAL_S * 1000);
        return this.#check({ group_id: this.groupId, region: "default", slot_at: Date.now(), attempt: 0 }, step);
      case "retry": {
        const message = this.#retry;
        if (!message) return;
        vi.setSystemTime(Date.now() + 20_000);
        return this.#check(message, { isUp: step.isUp, fault: "none" });
      }
      case "pause":
      case "resume":
        this.#version += 1;
        await db
          .update(monitors)
          .set({ paused: step.kind === "pause", config_version: this.#version })
          .where(eq(monitors.id, this.id));
        await syncMonitor(jobScope(recordingEnv().env, "test"), this.id, this.#version);
        return this.#expect({ kind: step.kind });
      default:
        vi.setSystemTime(Date.now() + 3_600_000);
        await sweepChecks(recordingEnv().env);
        return this.#expectSilence();
    }
  }

  async #check(message: CheckMessage, { isUp, fault }: { isUp: boolean; fault: string }): Promise<void> {
    outside.mockImplementation(async () => new Response("", { status: isUp ? 200 : 503 }));
    const checked_at = Date.now();
    this.#hasRun = true;
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, this.id));
    if (fault === "database fails") await expect(this.#run(message, { DB: readOnly })).rejects.toThrow();
    if (fault === "evicted") await this.#evict();
    this.#retry = await this.#run(message);
    if (fault === "repeated") this.#retry = (await this.#run(message)) ?? this.#retry;
    if (fault === "answer lost") {
      await db.update(monitors).set({ state_revision: 0, settled: false }).where(eq(monitors.id, this.id));
    }
    this.#isInLatest = !monitor?.paused;
    if (monitor?.paused) return;
    const { region, slot_at, attempt } = message;
    const result = { region, slot_at, attempt, checked_at, latency_ms: 0, message: "" };
    this.#expect({ kind: "result", ...result, outcome: isUp ? "success" : "failure" });
  }

  /** Only an object that runs can be evicted. */
  async #evict(): Promise<void> {
    const stub = env.MONITOR.get(env.MONITOR.idFromName(this.id));
    await runInDurableObject(stub, () => {});
    await evictDurableObject(stub);
  }

  async #run(message: CheckMessage, changes = {}): Promise<CheckMessage | undefined> {
    const recording = recordingEnv(changes);
    await runSlot(jobScope(recording.env, "test"), message, async () => {});
    return recording.checks[0]?.body;
  }

  #expect(input: MonitorInput): void {
    const { state, transition } = decide(this.#state, input, RULES, Date.now());
    this.#state = state;
    if (transition) this.#expected.push(transition);
  }

  #expectSilence(): void {
    // A group is missed once it ran, be it for a monitor that was paused and judged by none of its checks.
    if (!this.#hasRun) return;
    const last_result_at = this.#isInLatest ? this.#state.judged_at : null;
    this.#expect({ kind: "stale", last_result_at, reason: "" });
  }

  /** Lets everything that is under way arrive, then compares. */
  async settle(): Promise<void> {
    const stub = env.MONITOR.get(env.MONITOR.idFromName(this.id));
    const outbox = () =>
      runInDurableObject(
        stub,
        (_object, state) => state.storage.kv.get<{ outbox: unknown[] }>("monitor")?.outbox ?? [],
      );
    await vi.waitFor(async () => {
      if ((await outbox()).length === 0) return;
      await runDurableObjectAlarm(stub);
      throw new Error("transitions are still under way");
    }, PATIENCE);
    const found = await db
      .select()
      .from(transitions)
      .where(eq(transitions.monitor_id, this.id))
      .orderBy(asc(transitions.seq));
    expect(
      found.map(({ seq, from_status, to_status, effective_at }) => [seq, from_status, to_status, effective_at]),
    ).toEqual(this.#expected.map(({ seq, from, to, effective_at }) => [seq, from, to, effective_at]));
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, this.id));
    expect(monitor).toMatchObject({ status: this.#state.status, state_seq: this.#state.seq });
    const intervals = await db
      .select()
      .from(statusIntervals)
      .where(eq(statusIntervals.monitor_id, this.id))
      .orderBy(asc(statusIntervals.seq));
    intervals.forEach(({ to_at }, n) => {
      expect(to_at).toBe(intervals[n + 1]?.from_at ?? null);
    });
    const made = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, this.id));
    expect(made).toHaveLength(this.#expected.filter(({ event }) => event === "monitor.down").length);
    expect(made.filter(({ status }) => status !== "resolved")).toHaveLength(this.#state.outage ? 1 : 0);
  }
}

it("D1 ends up with what the rules say, with evictions, repetitions, losses and failures", {
  timeout: 240_000 * inject("effort"),
}, async () => {
  const { user_id } = await createAccount();
  const status_page_id = await insertPage(user_id, { auto_create_incident: true });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
      await db.delete(checkGroups);
      const monitor = await insertMonitor(user_id, {
        status_page_id,
        interval: INTERVAL_S,
        recovery_threshold: 2,
      });
      const stage = new Stage(monitor);
      await db.update(monitors).set({ created_at: Date.now() }).where(eq(monitors.id, stage.id));
      for (const each of steps) await stage.perform(each);
      await stage.settle();
      await db.delete(monitors).where(eq(monitors.id, stage.id));
    }),
    { numRuns: 15 * inject("effort") },
  );
});
