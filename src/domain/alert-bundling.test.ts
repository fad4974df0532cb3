import { describe, expect, it } from "vitest";
import { exampleEvent } from "../../test/support/events.ts";
import { bundleKind, bundleThreshold, decideRelease, groupAlerts, type HeldEvent, QUIET_MS } from "./alert-bundling.ts";

const T0 = 1_000_000;
const outage = (monitor: number, name: "monitor.down" | "monitor.up" = "monitor.down") =>
  exampleEvent({ id: `${name} ${monitor}`, name, monitor_id: `m${monitor}`, data: { monitor_id: `m${monitor}` } });
/** Published that many ms after T0. */
const at = (ms: number, monitor: number, name?: "monitor.down" | "monitor.up"): HeldEvent => ({
  event: outage(monitor, name),
  held_until: T0 + ms + QUIET_MS,
});
const many = (count: number, ms = 0) => Array.from({ length: count }, (_, n) => at(ms, n));

describe("bundleThreshold", () => {
  it.each([
    [1, 5],
    [25, 5],
    [26, 6],
    [200, 40],
  ])("for %i monitors is %i", (monitors, threshold) => {
    expect(bundleThreshold(monitors)).toBe(threshold);
  });
});

describe("bundleKind", () => {
  it.each([
    ["monitor.down", {}, "down"],
    ["monitor.up", {}, "up"],
    ["monitor.up", { outage_id: null }, null],
    ["monitor.degraded", {}, null],
    ["incident.created", { is_automatic: true, monitor_id: "m" }, "down"],
    ["incident.created", {}, null],
    ["incident.resolved", { is_automatic: true, monitor_id: "m" }, "up"],
    ["incident.resolved", { outage_id: "m/2", monitor_id: "m" }, null],
    ["maintenance.started", {}, null],
    ["deploy.done", {}, null],
  ])("of %s with %o is %s", (name, data, kind) => {
    expect(bundleKind(exampleEvent({ name, data }))).toBe(kind);
  });
});

describe("decideRelease", () => {
  it.each([
    ["a single outage waits three seconds for others", [at(0, 1)], { monitors: 200, announced: 0 }, 3_000],
    ["each further one prolongs that", [at(0, 1), at(2_000, 2)], { monitors: 200, announced: 0 }, 5_000],
    ["but not beyond fifteen seconds", [at(0, 1), at(14_000, 2)], { monitors: 200, announced: 0 }, 15_000],
    ["from five on more may follow", many(5), { monitors: 200, announced: 0 }, 20_000],
    ["within ninety seconds", [...many(5), at(80_000, 6)], { monitors: 200, announced: 0 }, 90_000],
    ["a fifth of the page is reported as soon as it is quiet", many(40), { monitors: 200, announced: 0 }, 3_000],
    ["or after fifteen seconds", [...many(40), at(14_000, 41)], { monitors: 200, announced: 0 }, 15_000],
    ["what follows waits for the end", [at(0, 1), at(60_000, 2)], { monitors: 200, announced: 40 }, 80_000],
    ["at most for ninety seconds", [at(0, 1), at(89_000, 2)], { monitors: 200, announced: 40 }, 90_000],
  ])("%s", (_name, held, burst, after) => {
    expect(decideRelease(held, burst) - T0).toBe(after);
  });
});

describe("groupAlerts", () => {
  const sizes = (held: HeldEvent[], burst: { monitors: number; announced: number }) =>
    groupAlerts(held, burst).map(({ kind, events }) => [kind, events.length]);

  it.each([
    ["four of five are four messages", many(4), 5, 0, Array(4).fill([null, 1])],
    ["five of twenty-five are one", many(5), 25, 0, [["down", 5]]],
    ["five of twenty-six are five", many(5), 26, 0, Array(5).fill([null, 1])],
    ["forty of two hundred are one", many(40), 200, 0, [["down", 40]]],
    ["two more after forty are one", many(2), 200, 40, [["down", 2]]],
    ["a single one more is itself", many(1), 200, 40, [[null, 1]]],
  ])("%s", (_name, held, monitors, announced, groups) => {
    expect(sizes(held, { monitors, announced })).toEqual(groups);
  });

  it("joins two services that leave the incident which lists them, however many monitors the page has", () => {
    const end = (monitor: number, bundle_id: string | null): HeldEvent => ({
      event: exampleEvent({
        id: `end ${monitor}`,
        name: "incident.resolved",
        monitor_id: `m${monitor}`,
        data: { is_automatic: true, monitor_id: `m${monitor}`, bundle_id },
      }),
      held_until: T0 + QUIET_MS,
    });
    expect(sizes([end(1, "b"), end(2, "b")], { monitors: 200, announced: 0 })).toEqual([["up", 2]]);
    expect(sizes([end(1, null), end(2, null)], { monitors: 200, announced: 0 })).toEqual([
      [null, 1],
      [null, 1],
    ]);
    expect(decideRelease([end(1, "b")], { monitors: 200, announced: 0 }) - T0).toBe(20_000);
  });

  it("separates outages from recoveries, and from everything else", () => {
    const up = Array.from({ length: 5 }, (_, n) => at(0, n, "monitor.up"));
    const other = { event: exampleEvent({ name: "maintenance.started" }), held_until: T0 };
    const held = [...many(6), ...up, other];
    expect(sizes(held, { monitors: 10, announced: 0 })).toEqual([
      ["down", 6],
      ["up", 5],
      [null, 1],
    ]);
  });
});
