import { describe, expect, it } from "vitest";
import { DAY_MS } from "../lib/durations.ts";
import { computeBill, computeListPrice } from "./bill.ts";
import { type Counted, computeCapacity } from "./capacity.ts";
import { zeroUnits } from "./usage.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

function counted(units: Partial<Counted["units"]>, changes: Partial<Counted> = {}): Counted {
  const nothing = { counted_from: NOW - DAY_MS, d1_bytes: 1_000_000, monitors: 0 };
  return { ...nothing, ...changes, units: { ...zeroUnits(), ...units } };
}

describe("the bill", () => {
  it.each([
    ["nothing", {}, 5],
    ["what the plan includes", { d1RowsWritten: 50e6, objectRequests: 1e6, d1Bytes: 5e9 }, 5],
    ["a million rows written beyond it", { d1RowsWritten: 51e6 }, 6],
    ["ten million queue operations beyond it", { queueOperations: 11e6 }, 9],
    ["2 GB beyond it", { d1Bytes: 7e9 }, 6.5],
  ])("of %s", (_, units, usd) => {
    expect(computeBill(units).usd).toBeCloseTo(usd, 9);
  });

  it("at list price includes nothing", () => {
    expect(computeListPrice({ d1RowsWritten: 1e6, kvWrites: 1e6 })).toBeCloseTo(6, 9);
  });
});

describe("the capacity", () => {
  it("of an empty installation costs the base price and has room for more than a hundred thousand monitors", () => {
    const { cost, limits, fit } = computeCapacity(counted({}), NOW);
    expect(cost.month_usd).toBe(5);
    expect(cost.per_million_checks_usd).toBeGreaterThan(0.05);
    expect(cost.per_million_checks_usd).toBeLessThan(0.3);
    expect(limits.map(({ used }) => used)).toEqual([1_000_000, 0, 0]);
    expect(fit).toBe(151_960);
  });

  it("takes the counted time for a month", () => {
    const day = counted({ d1_rows_written: 10e6, checks: 1e6 });
    expect(computeCapacity(day, NOW).cost.month_usd).toBeCloseTo(5 + 304 - 50, 1);
    const hour = { ...day, counted_from: NOW - DAY_MS / 24 };
    expect(computeCapacity(hour, NOW).cost.month_usd).toBeCloseTo(5 + 24 * 304 - 50, 1);
    expect(computeCapacity(day, NOW).cost.per_million_checks_usd).toBeCloseTo(10, 9);
  });

  it.each([
    ["the database", { d1_bytes: 9e9, monitors: 100_000 }, {}, Math.floor(1e9 / ((9e9 - 2e6) / 100_000))],
    ["the checks", { monitors: 1000 }, { checks: 4_000 * 86_400 }, 250],
    ["nothing, when it is full", { d1_bytes: 11e9, monitors: 10 }, {}, 0],
  ])("is bounded by %s", (_, changes, units, fit) => {
    expect(computeCapacity(counted(units, changes), NOW).fit).toBe(fit);
  });
});
