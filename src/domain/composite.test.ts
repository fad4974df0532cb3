import { describe, expect, it } from "vitest";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import { type ChildState, computeComposite, computeCompositeState } from "./composite.ts";
import { decide, initialState, type MonitorRules } from "./monitor-state.ts";

describe("status of a composite", () => {
  const rows: [name: string, members: MonitorStatus[], expected: MonitorStatus][] = [
    ["no member leaves it pending", [], "pending"],
    ["one member down is enough for down", ["up", "degraded", "unknown", "pending", "paused", "down"], "down"],
    ["down wins over degraded", ["degraded", "down"], "down"],
    ["degraded wins over unknown and up", ["up", "unknown", "degraded"], "degraded"],
    ["unknown wins over up", ["up", "unknown", "paused"], "unknown"],
    ["unknown wins over members that rest", ["paused", "unknown", "pending"], "unknown"],
    ["up needs one member up while the others rest", ["pending", "up", "paused"], "up"],
    ["all up is up", ["up", "up"], "up"],
    ["a member that has yet to report makes it pending, not paused", ["paused", "pending"], "pending"],
    ["all paused is paused", ["paused", "paused"], "paused"],
  ];
  it.each(rows)("%s", (_name, members, expected) => {
    expect(computeComposite(members)).toBe(expected);
    expect(computeComposite(members.toReversed())).toBe(expected);
  });
});

describe("the state of a composite", () => {
  const rows: [name: string, before: MonitorStatus, members: [MonitorStatus, number][], since: number][] = [
    [
      "went down with the first member that is down",
      "up",
      [
        ["up", 10],
        ["down", 60],
        ["down", 50],
      ],
      50,
    ],
    [
      "left down with the last member that did",
      "down",
      [
        ["up", 80],
        ["degraded", 20],
        ["up", 90],
      ],
      90,
    ],
    [
      "came up with the last member",
      "down",
      [
        ["up", 80],
        ["up", 70],
      ],
      80,
    ],
    ["has no past without members", "up", [], 0],
  ];
  it.each(rows)("%s", (_name, before, members, since) => {
    const states = members.map(([status, status_since]): ChildState => ({ status, status_since }));
    expect(computeCompositeState(states, before).since).toBe(since);
  });

  it("says how many members it is about", () => {
    const members: ChildState[] = [
      { status: "down", status_since: 1 },
      { status: "up", status_since: 1 },
    ];
    expect(computeCompositeState(members, "up").message).toBe("1 of 2 members down");
  });
});

describe("the state of a composite", () => {
  const rules: MonitorRules = {
    failure_threshold: 3,
    recovery_threshold: 2,
    schedule: null,
    stale_after_ms: 0,
    regions: [],
    region_policy: "majority",
  };
  const play = (...statuses: MonitorStatus[]) => {
    let state = initialState(0);
    return statuses.map((status, n) => {
      const decision = decide(state, { kind: "computed", status, since: n, message: "" }, rules, n + 1);
      state = decision.state;
      return decision.transition && [decision.transition.to, decision.transition.event, state.outage?.seq ?? null];
    });
  };

  it("follows at once, whatever its thresholds, and is one outage until it is up again", () => {
    expect(play("up", "down", "degraded", "down", "up")).toEqual([
      ["up", null, null],
      ["down", "monitor.down", 2],
      ["degraded", "monitor.degraded", 2],
      ["down", null, 2],
      ["up", "monitor.up", null],
    ]);
  });

  it("stays the same when it is told the same again", () => {
    expect(play("up", "up").at(1)).toBeNull();
  });

  it("leaves a pause that its members made when they go on", () => {
    expect(play("up", "paused", "pending", "up").map((each) => each?.[0])).toEqual(["up", "paused", "pending", "up"]);
  });
});
