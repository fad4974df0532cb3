import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { unpackRepeated } from "../../src/contract/repeated-heartbeat.ts";
import { HOUR_MS } from "../../src/lib/durations.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { alarmOf, beat, createHeartbeat, fireAlarm, holdClock, moveClock, stubOf } from "../support/pushes.ts";

/**
 * A heartbeat that repeats the one before it is not decided anew where the caller can read an answer in text. Whether it
 * can makes no difference to anybody.
 */

let account: Account;
beforeAll(async () => {
  account = await createAccount();
});
beforeEach(holdClock);
afterEach(() => {
  vi.useRealTimers();
});

const SAID = { status: "ok", message: null, duration_ms: null, exit_code: null, run_id: null } as const;
const BEATS = {
  plain: SAID,
  failing: { ...SAID, status: "fail" },
  started: { ...SAID, status: "start" },
  "started as a run": { ...SAID, status: "start", run_id: "nightly" },
  "of a run": { ...SAID, run_id: "nightly" },
  timed: { ...SAID, duration_ms: 1_500 },
  talking: { ...SAID, message: "all is well" },
} as const;

const BETWEEN = ["evict", "read the row again", "fire the alarm", "wait for the end of the hour"] as const;

/** Plain heartbeats most of the time, as jobs send them. */
type Step = keyof typeof BEATS | (typeof BETWEEN)[number];
const Step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.constant("plain" as const) },
  { weight: 5, arbitrary: fc.constantFrom(...(Object.keys(BEATS) as (keyof typeof BEATS)[])) },
  { weight: 2, arbitrary: fc.constantFrom(...BETWEEN) },
);
/** On time, in the same millisecond, at the last one of the deadline and after it. */
const WAITS = [0, 1, 1_000, 20_000, 60_000, 66_000, 66_001, 200_000];
const Steps = fc.array(fc.record({ wait: fc.constantFrom(...WAITS), step: Step }), { minLength: 4, maxLength: 30 });
const Fields = fc.record({
  failure_threshold: fc.constantFrom(1, 2),
  degraded_timeout_seconds: fc.constantFrom(undefined, 30),
  latency_threshold_ms: fc.constantFrom(undefined, 1_000),
});

let repeated = 0;

const DEFAULTS = {
  failure_threshold: 1,
  degraded_timeout_seconds: undefined,
  latency_threshold_ms: undefined,
} as const;
const steps = (...named: [wait: number, step: Step][]) => named.map(([wait, step]) => ({ wait, step }));
/** What chance rarely finds: a run that is overdue meanwhile, and an hour that ends. */
const EXAMPLES: [ReturnType<typeof steps>, typeof DEFAULTS][] = [
  [steps([0, "started as a run"], [1_000, "plain"], [4_000, "plain"], [4_000, "plain"]), DEFAULTS],
  [steps([0, "wait for the end of the hour"], [0, "plain"], [0, "plain"], [20_000, "plain"], [0, "plain"]), DEFAULTS],
];

async function take(id: string, step: string, reads_text: true | undefined) {
  const object = monitorObject(env, id);
  if (step === "wait for the end of the hour") return undefined;
  if (step === "fire the alarm") return fireAlarm(id);
  if (step === "evict") {
    // Only what runs can be evicted.
    await alarmOf(id);
    return evictDurableObject(stubOf(id));
  }
  if (step === "read the row again") return object.sync(id, Number.MAX_SAFE_INTEGER);
  const answer = await object.push(id, {
    kind: "heartbeat",
    credential_version: 1,
    credential_key: 1,
    per_minute: 6,
    beat: BEATS[step as keyof typeof BEATS],
    ...(reads_text && { reads_text }),
  });
  if (typeof answer !== "string") return answer;
  repeated += 1;
  return unpackRepeated(answer);
}

/** Everything that an object stores, but which monitor it is of. */
async function storedOf(id: string) {
  const rows = await runInDurableObject(stubOf(id), (_object, { storage }) => ({
    values: [...storage.kv.list()],
    pushes: [...storage.sql.exec("SELECT * FROM pushes ORDER BY slot")],
    hours: [...storage.sql.exec("SELECT * FROM hours ORDER BY hour_at")],
  }));
  return JSON.stringify(rows).replaceAll(id, "the monitor");
}

describe("a heartbeat that repeats the one before it", () => {
  it("is answered and stored as if it were decided anew, with anything in between", async () => {
    await fc.assert(
      fc.asyncProperty(Steps, Fields, async (steps, fields) => {
        const [quick, careful] = [await createHeartbeat(account, fields), await createHeartbeat(account, fields)];
        for (const { wait, step } of steps) {
          moveClock(step === "wait for the end of the hour" ? HOUR_MS - (Date.now() % HOUR_MS) - 10_000 : wait);
          const [answer, other] = [await take(quick.id, step, true), await take(careful.id, step, undefined)];
          expect(answer).toEqual(other);
        }
        expect(await storedOf(quick.id)).toBe(await storedOf(careful.id));
        expect(await monitorObject(env, quick.id).sync(quick.id, 0)).toEqual(
          await monitorObject(env, careful.id).sync(careful.id, 0),
        );
        expect(await storedOf(quick.id)).toBe(await storedOf(careful.id));
      }),
      { numRuns: 40, examples: EXAMPLES },
    );
    expect(repeated).toBeGreaterThan(50);
  });

  it("is distinguished from one with a credential that was replaced", async () => {
    const monitor = await createHeartbeat(account);
    for (let n = 0; n < 3; n++) {
      expect((await beat(monitor)).status).toBe(200);
      moveClock(1_000);
    }
    const { body } = await account.client.post(`${V1}/monitors/${monitor.id}/regenerate-heartbeat-token`);
    expect((await beat(monitor)).status).toBe(401);
    expect((await beat({ ...monitor, heartbeat_token: body.heartbeat_token })).status).toBe(200);
  });

  it("is no heartbeat of a monitor that is paused or deleted meanwhile", async () => {
    const monitor = await createHeartbeat(account);
    for (let n = 0; n < 3; n++) {
      await beat(monitor);
      moveClock(1_000);
    }
    await account.client.post(`${V1}/monitors/${monitor.id}/pause`);
    expect((await beat(monitor)).body).toMatchObject({ status: "paused", next_expected_at: null });
    await account.client.delete(`${V1}/monitors/${monitor.id}`);
    expect((await beat(monitor)).status).toBe(401);
  });
});
