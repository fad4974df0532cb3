import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuneInput } from "../contract/threshold-tuner.ts";
import { decide, initialState, type MonitorInput, type MonitorRules } from "./monitor-state.ts";
import { replay, selectDecisive, type TunedRound, type TunerInput, tuneThresholds } from "./threshold-tuner.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TIMING = { interval_ms: MINUTE, retry_interval_ms: MINUTE, stale_after_ms: 3 * MINUTE };

/** S fast, L slow, F failure; a dot is a missed slot. One letter a minute. */
function history(script: string, from = 0): TunedRound[] {
  return [...script].flatMap((letter, n) =>
    letter === "."
      ? []
      : [{ at: from + n * MINUTE, has_failed: letter === "F", latency_ms: letter === "L" ? 900 : 100 }],
  );
}

const thresholds = (
  failure_threshold: number,
  recovery_threshold: number,
  latency_threshold_ms: number | null = null,
) => ({
  failure_threshold,
  recovery_threshold,
  latency_threshold_ms,
});

describe("replay", () => {
  it.each<[string, string, [number, number], number, number]>([
    ["announces nothing below the failure threshold", "SSFFSS", [3, 1], 0, 0],
    ["announces at the failure threshold", "SSFFFSS", [3, 1], 1, 0],
    ["counts an outage under 2 intervals as short", "SSFSS", [1, 1], 1, 1],
    ["counts an outage of 2 intervals as no short one", "SSFFSS", [1, 1], 1, 0],
    ["joins outages that a recovery threshold keeps open", "SFSFSFSS", [1, 2], 1, 0],
    ["splits them without one", "SFSFSFSS", [1, 1], 3, 3],
    ["ends a run of failures at missed slots", "SFF.FS", [3, 1], 0, 0],
    ["does not count an outage that goes on as short", "SF", [1, 1], 1, 0],
  ])("%s", (_name, script, [failures, successes], announced, short) => {
    const { outages, short_outages } = replay(history(script), thresholds(failures, successes), TIMING);
    expect([outages.length, short_outages]).toEqual([announced, short]);
  });

  it("confirms under a higher threshold when the retries would have, if the target still failed then", () => {
    const timing = { ...TIMING, retry_interval_ms: 20_000 };
    const [outage] = replay(history("SFFS"), thresholds(4, 1), timing).outages;
    expect(outage).toEqual({ started_at: MINUTE, confirmed_at: 2 * MINUTE, ended_at: 3 * MINUTE });
    expect(replay(history("SFFS"), thresholds(5, 1), timing).outages).toEqual([]);
  });

  it("counts degradations, of which those under 2 intervals are short", () => {
    const replayed = replay(history("SLSLLSLF"), thresholds(3, 1, 500), TIMING);
    expect([replayed.degradations, replayed.short_degradations]).toEqual([3, 1]);
    expect(replay(history("SLS"), thresholds(3, 1, 900), TIMING).degradations).toBe(0);
  });

  /** The same history through the machine that decides live. */
  function listLive(rounds: readonly TunedRound[], of: ReturnType<typeof thresholds>): string[] {
    const rules: MonitorRules = {
      failure_threshold: of.failure_threshold,
      recovery_threshold: of.recovery_threshold,
      schedule: { interval_ms: TIMING.interval_ms, retry_interval_ms: TIMING.retry_interval_ms },
      stale_after_ms: TIMING.stale_after_ms,
      regions: [],
      region_policy: "majority",
    };
    let state = initialState(0);
    let known = 0;
    const events: string[] = [];
    const step = (input: MonitorInput, now: number) => {
      const decision = decide(state, input, rules, now);
      state = decision.state;
      const { event = null, effective_at = 0, at = 0 } = decision.transition ?? {};
      if (event === "monitor.down") events.push(`down ${effective_at}-${at}`);
      if (event === "monitor.degraded") events.push("degraded");
    };
    for (const { at, has_failed, latency_ms } of rounds) {
      if (at - known > TIMING.stale_after_ms) {
        step({ kind: "stale", last_result_at: known, reason: "no result" }, known + TIMING.stale_after_ms + 1);
      }
      const isSlow = of.latency_threshold_ms !== null && latency_ms !== null && latency_ms > of.latency_threshold_ms;
      const outcome = has_failed ? "failure" : isSlow ? "slow" : "success";
      const measured = { outcome, checked_at: at, latency_ms, message: "" } as const;
      step({ kind: "result", region: "default", slot_at: at, attempt: 0, ...measured }, at);
      known = at;
    }
    return events;
  }

  const anyScript = fc
    .array(fc.tuple(fc.constantFrom("S", "L", "F", "."), fc.integer({ min: 1, max: 6 })), { maxLength: 40 })
    .map((parts) => parts.map(([letter, count]) => letter.repeat(count)).join(""));
  const anyThresholds = fc
    .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), fc.constantFrom(null, 500))
    .map((given) => thresholds(...given));

  it("announces what the live machine would have announced", () => {
    fc.assert(
      fc.property(anyScript, anyThresholds, (script, of) => {
        const rounds = history(`S${script}`);
        const live = listLive(rounds, of);
        const { outages, degradations } = replay(rounds, of, TIMING);
        expect(outages.map(({ started_at, confirmed_at }) => `down ${started_at}-${confirmed_at}`)).toEqual(
          live.filter((event) => event !== "degraded"),
        );
        expect(degradations).toBe(live.filter((event) => event === "degraded").length);
      }),
      { numRuns: 10_000 },
    );
  });

  it("finds the same outages in the decisive part of a history", () => {
    const long = anyScript.map((script) => script.replaceAll("L", "S".repeat(30)));
    fc.assert(
      fc.property(
        long,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        (script, failures, successes) => {
          const rounds = history(script);
          const of = thresholds(failures, successes);
          expect(replay(selectDecisive(rounds, TIMING), of, TIMING)).toEqual(replay(rounds, of, TIMING));
        },
      ),
      { numRuns: 3000 },
    );
  });
});

const week = (script: string) => script.padEnd(7 * 24 * 60 + 1, "S");
const input = (script: string, fields: Partial<TunerInput> = {}): TunerInput => {
  const rounds = history(script);
  return {
    rounds,
    thresholds: thresholds(3, 2),
    timing: { ...TIMING, retry_interval_ms: 20_000 },
    limits: { max_false_alarms_per_month: null, max_delay_seconds: null },
    to: rounds.at(-1)?.at ?? 0,
    ...fields,
  };
};
const propose = (given: TunerInput) => {
  const tuning = tuneThresholds(given);
  return tuning.ok ? { ...tuning.proposed, reason: tuning.reason } : tuning;
};

describe("tuneThresholds", () => {
  it.each([
    ["a week", week(""), true],
    ["1 minute less", week("").slice(1), false],
    ["nothing", "", false],
  ])("needs 7 days of history: %s", (_name, script, isEnough) => {
    const tuning = tuneThresholds(input(script));
    expect(tuning.ok).toBe(isEnough);
    if (!tuning.ok) expect(tuning.code).toBe("not_enough_history");
  });

  it("proposes what is set where no check failed", () => {
    expect(tuneThresholds(input(week("SSSS")))).toMatchObject({
      current: { failure_threshold: 3, recovery_threshold: 2, announced: 0, delay_p95_seconds: null },
      proposed: { failure_threshold: 3, recovery_threshold: 2 },
      reason: "the current thresholds keep within the limits",
    });
  });

  it("proposes to announce sooner where no failure was short", () => {
    const given = input(week(`${"S".repeat(60)}${"F".repeat(30)}${"S".repeat(60)}${"F".repeat(20)}`));
    expect(propose(given)).toMatchObject({
      failure_threshold: 1,
      recovery_threshold: 1,
      short_outages: 0,
      announced: 2,
    });
  });

  it("proposes a higher failure threshold where single failures are false alarms", () => {
    const noisy = week(`${"S".repeat(30)}F`.repeat(40) + "F".repeat(30));
    const given = input(noisy, { thresholds: thresholds(1, 1) });
    const tuning = tuneThresholds(given);
    if (!tuning.ok) throw new Error("not enough history");
    expect(tuning.current).toMatchObject({
      failure_threshold: 1,
      short_outages: 39,
      announced: 40,
      delay_p95_seconds: 0,
    });
    expect(tuning.proposed).toMatchObject({ failure_threshold: 2, short_outages: 0, announced: 1 });
    expect(tuning.reason).toBe("these thresholds announce outages soonest within the limits");
  });

  it("accepts as many false alarms as it may", () => {
    const two = week(`${"S".repeat(30)}F${"S".repeat(30)}F`);
    const limits = (max_false_alarms_per_month: number) => ({
      limits: { max_false_alarms_per_month, max_delay_seconds: null },
    });
    // Two in a week are 60 / 7 in 30 days.
    expect(propose(input(two, limits(60 / 7 + 0.01)))).toMatchObject({ failure_threshold: 1 });
    expect(propose(input(two, limits(60 / 7 - 0.01)))).toMatchObject({ failure_threshold: 2 });
  });

  it("keeps within the delay before it keeps within the false alarms, and says so", () => {
    const noisy = week(`${"S".repeat(30)}F`.repeat(40));
    const limits = { max_false_alarms_per_month: 0, max_delay_seconds: 19 };
    expect(propose(input(noisy, { limits }))).toMatchObject({
      failure_threshold: 1,
      reason: "no thresholds keep within max_false_alarms_per_month; these have the fewest false alarms",
    });
  });

  it("raises a latency threshold that single slow checks cross, and leaves an absent one absent", () => {
    const slow = week(`${"S".repeat(30)}L`.repeat(40));
    expect(propose(input(slow, { thresholds: thresholds(3, 2, 500) }))).toMatchObject({
      latency_threshold_ms: 900,
      announced: 0,
    });
    expect(propose(input(slow))).toMatchObject({ latency_threshold_ms: null });
    expect(propose(input(week("S"), { thresholds: thresholds(3, 2, 500) }))).toMatchObject({
      latency_threshold_ms: 500,
    });
  });

  it("looks at ten times the checks about ten times as often", () => {
    const timing = { interval_ms: 10_000, retry_interval_ms: 10_000, stale_after_ms: 180_000 };
    const looksAt = (days: number) => {
      let looks = 0;
      const rounds = Array.from({ length: days * 8640 }, (_, n): TunedRound => {
        const round = { at: n * 10_000, has_failed: n % 1000 < 3, latency_ms: n % 700 };
        const get = (target: TunedRound, key: string) => {
          looks += 1;
          return Reflect.get(target, key);
        };
        return new Proxy(round, { get });
      });
      const given = { ...input(""), rounds, timing, thresholds: thresholds(3, 2, 650), to: days * DAY };
      expect(tuneThresholds(given).ok).toBe(true);
      return looks;
    };
    expect(looksAt(90) / looksAt(9)).toBeLessThan(12);
  });
});

describe("the body of a tune request", () => {
  it.each([
    [{}, true],
    [{ max_false_alarms_per_month: 0, max_delay_seconds: 1 }, true],
    [{ max_false_alarms_per_month: 1000, max_delay_seconds: 86_400 }, true],
    [{ max_false_alarms_per_month: -0.1 }, false],
    [{ max_false_alarms_per_month: 1001 }, false],
    [{ max_delay_seconds: 0.9 }, false],
    [{ max_delay_seconds: 86_401 }, false],
  ])("%j is judged", (body, isGood) => {
    expect(TuneInput.safeParse(body).success).toBe(isGood);
  });
});
