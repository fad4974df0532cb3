import { describe, expect, it } from "vitest";
import { type FleetLoad, findFreePlanViolation, markerLateAfterMs, type WantedMonitor } from "./free-plan.ts";

const EMPTY: FleetLoad = { monitors: 0, checks_per_minute: 0, heartbeats_per_minute: 0 };
const check = (interval: number, more: Partial<WantedMonitor> = {}): WantedMonitor => ({
  interval,
  load: "check",
  needs_tls: false,
  has_steps: false,
  ...more,
});
const heartbeat = (interval: number) => check(interval, { load: "heartbeat" });

describe("the room of the Workers Free plan", () => {
  it.each<[name: string, wanted: WantedMonitor, fleet: Partial<FleetLoad>, violation: RegExp | null]>([
    ["the tenth check every minute", check(60), { monitors: 9, checks_per_minute: 9 }, null],
    ["the eleventh", check(60), { monitors: 10, checks_per_minute: 10 }, /10 checks a minute/],
    ["the fiftieth every five minutes", check(300), { monitors: 49, checks_per_minute: 49 / 5 }, null],
    ["the fifty-first, of any type", heartbeat(3600), { monitors: 50 }, /50 monitors/],
    [
      "one more every five minutes beside ten a minute",
      check(300),
      { checks_per_minute: 10 },
      /choose a longer interval/,
    ],
    ["an interval between", check(120), {}, /interval must be 60 or a multiple of 300 seconds/],
    ["an interval below", check(30), {}, /interval must be 60 or a multiple of 300 seconds/],
    ["a long interval", check(3600), {}, null],
    ["a long interval off the grid", check(3601), {}, /multiple of 300/],
    ["the tenth heartbeat a minute", heartbeat(60), { heartbeats_per_minute: 9 }, null],
    ["the eleventh", heartbeat(60), { heartbeats_per_minute: 10 }, /longer expected_interval/],
    ["a heartbeat of any rhythm", heartbeat(45), {}, null],
    ["what an agent or nobody checks", check(10, { load: "none", needs_tls: true, has_steps: true }), {}, null],
    ["a handshake of our own", check(300, { needs_tls: true }), {}, /10 ms of CPU/],
    ["steps", check(300, { has_steps: true }), {}, /50 requests/],
  ])("decides on %s", (_name, wanted, fleet, violation) => {
    const found = findFreePlanViolation(wanted, { ...EMPTY, ...fleet });
    if (violation === null) expect(found).toBeNull();
    else expect(found).toMatch(violation);
  });

  it("lets a marker be as late as its rhythm permits, on that plan alone", () => {
    expect(markerLateAfterMs("paid", 180_000)).toBe(180_000);
    expect(markerLateAfterMs("free", 180_000)).toBe(2 * 3_600_000 + 180_000);
  });
});
