import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../lib/durations.ts";
import { computeFleetCells, computeFleetUptime } from "./fleet.ts";

const outage = (monitor_id: string, from_at: number, to_at: number | null) => ({ monitor_id, from_at, to_at });
const SPAN = { from: 0, to: 400, now: 390 };

describe("the cells of a fleet", () => {
  it.each([
    { name: "nothing", down: [], cells: [0, 0, 0, 0] },
    { name: "one of two, within a cell", down: [outage("a", 110, 120)], cells: [0, 0.5, 0, 0] },
    { name: "one that began before", down: [outage("a", -50, 100)], cells: [0.5, 0, 0, 0] },
    { name: "one that goes on", down: [outage("a", 299, null)], cells: [0, 0, 0.5, 0.5] },
    { name: "both together", down: [outage("a", 0, 50), outage("b", 20, 150)], cells: [1, 0.5, 0, 0] },
    { name: "the same one twice", down: [outage("a", 0, 10), outage("a", 20, 30)], cells: [0.5, 0, 0, 0] },
    { name: "one that is over before", down: [outage("a", -50, -10)], cells: [0, 0, 0, 0] },
  ])("show $name", ({ down, cells }) => {
    expect(computeFleetCells({ down, count: 2 }, SPAN, 4)).toEqual(cells);
  });
});

describe("the uptime of a fleet", () => {
  it.each([
    { name: "no monitor", down: [], count: 0, hours: 0, uptime: null },
    { name: "less than an hour of one", down: [], count: 1, hours: 0.99, uptime: null },
    { name: "a minute of each of many", down: [], count: 300, hours: 5, uptime: null },
    { name: "no outage", down: [], count: 1, hours: 1, uptime: 100 },
    { name: "a tenth of the time", down: [outage("a", 0, HOUR_MS)], count: 2, hours: 10, uptime: 90 },
    { name: "what goes on and began before", down: [outage("a", -HOUR_MS, null)], count: 2, hours: 10, uptime: 80 },
    {
      name: "what began after the time that is measured",
      down: [outage("a", 3 * HOUR_MS, null)],
      count: 2,
      hours: 10,
      uptime: 100,
    },
    { name: "a moment in a long time", down: [outage("a", 0, 1)], count: 2, hours: 1000, uptime: 99.99 },
  ])("counts $name", ({ down, count, hours, uptime }) => {
    const fleet = { down, count, watched_ms: hours * HOUR_MS };
    expect(computeFleetUptime(fleet, { since: 0, until: 2 * HOUR_MS })).toBe(uptime);
  });
});
