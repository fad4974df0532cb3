import { describe, expect, it } from "vitest";
import { makeResult, RULES } from "../../test/support/monitor-script.ts";
import type { CheckOutcome } from "../contract/check.ts";
import { decide, initialState, type MonitorRules, type MonitorState } from "./monitor-state.ts";

const rules: MonitorRules = { ...RULES, failure_threshold: 1, regions: ["weur", "enam", "apac"] };

/** What all three find in a slot. */
function round(state: MonitorState, slot: number, found: Record<string, CheckOutcome>) {
  const slot_at = slot * 60;
  let decision = decide(state, { kind: "resume" }, rules, slot_at);
  for (const [region, outcome] of Object.entries(found)) {
    const result = makeResult({ region, outcome, slot_at, checked_at: slot_at });
    decision = decide(decision.state, result, rules, slot_at + 1);
  }
  return decision;
}

const all = (outcome: CheckOutcome) => ({ weur: outcome, enam: outcome, apac: outcome });
const up = round(initialState(0), 1, all("success")).state;

describe("a location that the others outvote", () => {
  it("leaves the status alone, and is known until it recovers, which has to be reported", () => {
    const partly = round(up, 2, { ...all("success"), apac: "failure" });
    expect(partly).toMatchObject({ state: { status: "up", locations_down: ["apac"] }, settled: false });
    const again = round(partly.state, 3, all("success"));
    expect(again).toMatchObject({ state: { status: "up", locations_down: [] }, settled: true });
  });

  it("is said once the round is whole, and not of one that could not check", () => {
    const begun = round(up, 2, { apac: "failure", weur: "success" });
    expect(begun.state.locations_down ?? []).toEqual([]);
    expect(round(up, 2, { ...all("success"), apac: "error" }).state.locations_down ?? []).toEqual([]);
  });

  it("is forgotten while nothing is known, and where it is no location any more", () => {
    const { state } = round(up, 2, { ...all("success"), apac: "failure" });
    expect(decide(state, { kind: "pause" }, rules, 200).state.locations_down).toEqual([]);
    const moved = { ...rules, regions: ["weur", "enam"] };
    const result = makeResult({ region: "weur", slot_at: 180, checked_at: 180 });
    expect(decide(state, result, moved, 181).state.locations_down).toEqual([]);
  });
});

it("is named by a monitor that becomes degraded, as far as its locations have reported", () => {
  const found = { apac: "failure", weur: "slow", enam: "slow" } as const;
  let state = up;
  for (const [region, outcome] of Object.entries(found)) {
    const decision = decide(state, makeResult({ region, outcome, slot_at: 120, checked_at: 120 }), rules, 121);
    state = decision.state;
    if (region === "enam") {
      expect(decision.transition).toMatchObject({ to: "degraded", locations_down: ["apac"] });
    }
  }
});
