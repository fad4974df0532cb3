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

describe("how many members have to be down", () => {
  const rows: [policy: string, members: string, expected: MonitorStatus][] = [
    ["worst", "DUU", "down"],
    ["all", "DDU", "degraded"],
    ["all", "DDD", "down"],
    ["at_least:1", "DUU", "down"],
    ["at_least:2", "DUU", "degraded"],
    ["at_least:2", "DDU", "down"],
    ["at_least:2", "DSU", "degraded"],
    ["at_least:2", "SUU", "degraded"],
    ["at_least:2", "UUU", "up"],
    ["percent:50", "DUUU", "degraded"],
    ["percent:50", "DDUU", "down"],
    ["percent:50", "DUU", "degraded"],
    ["percent:67", "DDU", "degraded"],
    ["percent:66", "DDU", "down"],
    ["percent:14", "DDDDDDD".padEnd(50, "U"), "down"],
    ["percent:14", "DDDDDD".padEnd(50, "U"), "degraded"],
    // Those of which nothing is known count for neither side, and no more are asked for than are left.
    ["all", "DDP?", "down"],
    ["all", "DUP?", "degraded"],
    ["percent:50", "DUP", "down"],
    ["at_least:2", "D?P", "down"],
    ["at_least:2", "?UU", "unknown"],
    ["at_least:2", "PPP", "paused"],
    ["at_least:2", "", "pending"],
  ];
  const STATUSES: Record<string, MonitorStatus> = { D: "down", S: "degraded", U: "up", P: "paused", "?": "unknown" };
  it.each(rows)("%s of %s is %s", (policy, letters, expected) => {
    const members = [...letters].map((letter) => STATUSES[letter] ?? "pending");
    expect(computeComposite(members, policy)).toBe(expected);
    expect(computeComposite(members.toReversed(), policy)).toBe(expected);
  });
});

describe("since when so many members are down", () => {
  const rows: [
    name: string,
    policy: string,
    before: MonitorStatus,
    members: [MonitorStatus, number][],
    since: number,
  ][] = [
    [
      "the member that tipped it",
      "at_least:2",
      "up",
      [
        ["down", 50],
        ["down", 70],
        ["down", 90],
      ],
      70,
    ],
    [
      "the first that failed, while it is degraded",
      "at_least:3",
      "up",
      [
        ["down", 70],
        ["down", 50],
        ["up", 90],
      ],
      50,
    ],
    [
      "the last of all",
      "all",
      "degraded",
      [
        ["down", 70],
        ["down", 50],
      ],
      70,
    ],
    [
      "a pause that left too few others",
      "percent:50",
      "degraded",
      [
        ["down", 50],
        ["up", 10],
        ["paused", 80],
      ],
      80,
    ],
    [
      "the failure, after an older pause",
      "percent:50",
      "up",
      [
        ["down", 50],
        ["up", 10],
        ["paused", 20],
      ],
      50,
    ],
    [
      "the recovery that left too few",
      "at_least:2",
      "down",
      [
        ["down", 50],
        ["up", 95],
        ["up", 10],
      ],
      95,
    ],
  ];
  it.each(rows)("%s", (_name, policy, before, members, since) => {
    const states = members.map(([status, status_since]): ChildState => ({ status, status_since }));
    expect(computeCompositeState(states, before, policy).since).toBe(since);
  });

  it("says how many are down, also where that is not enough", () => {
    const members = (["down", "degraded", "up"] as const).map((status): ChildState => ({ status, status_since: 1 }));
    expect(computeCompositeState(members, "up", "at_least:2")).toMatchObject({
      status: "degraded",
      message: "1 of 3 members down",
    });
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
    [
      "was first up with the first member",
      "pending",
      [
        ["up", 30],
        ["pending", 20],
      ],
      30,
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

  it("follows at once, with any thresholds, and is one outage until it is up again", () => {
    expect(play("up", "down", "degraded", "down", "up")).toEqual([
      ["up", null, null],
      ["down", "monitor.down", 2],
      ["degraded", "monitor.degraded", 2],
      ["down", null, 2],
      ["up", "monitor.up", null],
    ]);
  });

  it("stays the same when the same members report again", () => {
    expect(play("up", "up").at(1)).toBeNull();
  });

  it("leaves a pause that its members made when they go on", () => {
    expect(play("up", "paused", "pending", "up").map((each) => each?.[0])).toEqual(["up", "paused", "pending", "up"]);
  });
});
