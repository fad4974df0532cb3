import { describe, expect, it } from "vitest";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import { computeComposite } from "./composite.ts";

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
