import { beforeAll, describe, expect, it } from "vitest";
import { simulateDay } from "../simulation/day.ts";
import type { Program } from "../simulation/isolate.ts";
import { buildProgram } from "../simulation/program.ts";

/** Three hours of a day that `npm run test:simulate` lets happen as a whole. */
const PARTS = 1;

describe("under a platform that fails", () => {
  let program: Program;
  beforeAll(async () => {
    program = await buildProgram();
  });

  it.for([1, 2, 3])("every promise is kept with seed %i", async (seed) => {
    const { violation, trail } = await simulateDay(program, seed, PARTS);
    expect(violation, trail.join("\n")).toBeNull();
  });
});

describe("a simulation notices", () => {
  it("a delivery that is repeated as a new one, the same way in every run", async () => {
    const program = await buildProgram({
      from: '"webhook-id": delivery_id,',
      to: '"webhook-id": delivery_id + sent_at,',
    });
    const outcome = await simulateDay(program, 1, PARTS);
    expect(outcome.violation).toMatch(
      /every outage is announced exactly once: receiver 0 got [2-9] times monitor.down/,
    );
    expect(await simulateDay(program, 1, PARTS)).toEqual(outcome);
  });

  it("an alarm at the first failure", async () => {
    const from = "(isDown ? rules.recovery_threshold : rules.failure_threshold)";
    const { violation } = await simulateDay(await buildProgram({ from, to: "1" }), 1, PARTS);
    expect(violation).toContain("no false alarm: Shop was down");
  });

  it("a mute that mutes nothing", async () => {
    const from = "return isWithheld(withholding) ? withholding : null;";
    const { violation } = await simulateDay(await buildProgram({ from, to: "return null;" }), 1, PARTS);
    expect(violation).toContain("every outage is announced exactly once");
  });

  it("a deadline that nobody wakes up for", async () => {
    const program = await buildProgram({ from: "await this.#wakeBefore(this.#wakeAt);", to: "" });
    const { violation } = await simulateDay(program, 2, PARTS);
    expect(violation).toMatch(/Backup is \w+, not down/);
  });
});
