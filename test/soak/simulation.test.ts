import { beforeAll, describe, expect, it } from "vitest";
import { simulateDay } from "../simulation/day.ts";
import type { Fault, Scheduled } from "../simulation/faults.ts";
import type { Program } from "../simulation/isolate.ts";
import { buildProgram } from "../simulation/program.ts";

/** What `npm run test:simulate` draws by chance, in the order that once lost something. */

const MINUTE = 60_000;

/** At one of so many such calls, from and until so long after the beginning. */
function at(fault: Fault, call: RegExp, { every = 1, from = 0, until = Number.POSITIVE_INFINITY } = {}): Scheduled {
  let calls = 0;
  const when = (called: string, ms: number) => {
    if (ms < from || ms >= until || !call.test(called)) return false;
    calls += 1;
    return calls % every === 0;
  };
  return { fault, when };
}

const SCHEDULES: [name: string, schedule: () => Scheduled[]][] = [
  [
    "isolates that die on the way to and from the history",
    () => [
      at("isolate dies", /^before PROBER\.record$/, { every: 7 }),
      at("isolate dies", /^after PROBER\.record$/, { every: 9 }),
    ],
  ],
  [
    "isolates that die when a slot is to be recorded, and when it was",
    () => [
      at("isolate dies", /^before .*update "check_groups" set "latest"/s, { every: 7 }),
      at("isolate dies", /^after .*update "check_groups" set "latest"/s, { every: 9 }),
    ],
  ],
  [
    "a history that is down for longer than its messages are repeated",
    () => [at("object call fails before", /^PROBER\.record$/, { from: 10 * MINUTE, until: 50 * MINUTE })],
  ],
  [
    "a history that hangs",
    () => [at("object call hangs", /^PROBER\.record$/, { from: 10 * MINUTE, until: 40 * MINUTE })],
  ],
  ["heartbeats whose object hangs", () => [at("object call hangs", /^MONITOR\.push$/, { every: 12 })]],
  [
    "senders that die with what they have claimed",
    () => [at("isolate dies", /^after .*update "deliveries" set "attempt"/s, { every: 4 })],
  ],
];

describe("every promise is kept with", () => {
  let program: Program;
  beforeAll(async () => {
    program = await buildProgram();
  });

  it.for(SCHEDULES)("%s", async ([, schedule]) => {
    const outcome = await simulateDay(program, { seed: 1, isShort: true, isCalm: true, schedule: schedule() });
    expect(outcome.violation, outcome.trail.join("\n")).toBeNull();
    expect(outcome.happened.length).toBeGreaterThan(2);
  });
});

describe("a simulation notices", () => {
  it("a delivery that is repeated as a new one, the same way in every run", async () => {
    const program = await buildProgram({
      from: '"webhook-id": delivery_id,',
      to: '"webhook-id": delivery_id + sent_at,',
    });
    const isRepeated = /every outage is announced exactly once: receiver 0 got \d+/;
    let seed = 1;
    let outcome = await simulateDay(program, { seed, isShort: true });
    while (!isRepeated.test(outcome.violation ?? "") && seed < 8) {
      outcome = await simulateDay(program, { seed: ++seed, isShort: true });
    }
    expect(outcome.violation).toMatch(isRepeated);
    expect(await simulateDay(program, { seed, isShort: true })).toEqual(outcome);
  });

  it("an alarm at the first failure", async () => {
    const from = "(isDown ? rules.recovery_threshold : rules.failure_threshold)";
    const { violation } = await simulateDay(await buildProgram({ from, to: "1" }), { seed: 1, isShort: true });
    expect(violation).toContain("no false alarm");
  });

  it("an outage of what an agent of another network reaches", async () => {
    const from = 'if (outcome === "success" || outcome === "slow") {';
    const { violation } = await simulateDay(await buildProgram({ from, to: "if (false) {" }), {
      seed: 6,
      isShort: true,
    });
    expect(violation).toContain("no outage of what another network reaches");
  });

  it("a mute that mutes nothing", async () => {
    const from = "return isWithheld(withholding) ? withholding : null;";
    const program = await buildProgram({ from, to: "return null;" });
    const { violation } = await simulateDay(program, { seed: 4, isShort: true, isCalm: true });
    expect(violation).toContain("every outage is announced exactly once");
  });

  it("a deadline that nobody wakes up for", async () => {
    const program = await buildProgram({ from: "await this.#wakeBefore(this.#wakeAt);", to: "" });
    const { violation } = await simulateDay(program, { seed: 10, isShort: true, isCalm: true });
    expect(violation).toMatch(/Backup is \w+, not down/);
  });

  it("a heartbeat that waits for its object as long as that takes", async () => {
    const program = await buildProgram({
      from: "withDeadline(monitorObject(ctx.env, monitor_id).push(monitor_id, push), REQUEST_OBJECT_TIMEOUT_MS)",
      to: "monitorObject(ctx.env, monitor_id).push(monitor_id, push)",
    });
    const schedule = [at("object call hangs", /^MONITOR\.push$/, { every: 3 })];
    const { violation } = await simulateDay(program, { seed: 1, isShort: true, isCalm: true, schedule });
    expect(violation).toContain("nobody waits for ever");
  });

  it("results that are given up when their history does not take them", async () => {
    const from =
      'await scope.env.CHECKS.send({ kind: "results", ...toQueued(results) }, { delaySeconds: QUEUED_DELAY_S });';
    const program = await buildProgram({ from, to: "" });
    const schedule = [at("object call fails before", /^PROBER\.record$/, { until: 30 * MINUTE })];
    const { violation } = await simulateDay(program, { seed: 1, isShort: true, isCalm: true, schedule });
    expect(violation).toContain("history has no hole");
  });
});
