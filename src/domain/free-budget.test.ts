import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../lib/durations.ts";
import { computeFreeBudget, decideThinning, listScarce, startOfDay } from "./free-budget.ts";
import { zeroUnits } from "./usage.ts";

const MIDNIGHT = Date.parse("2026-11-26T00:00:00Z");
const budgetOf = (units: Partial<ReturnType<typeof zeroUnits>>) => computeFreeBudget({ ...zeroUnits(), ...units });
const shareOf = (units: Parameters<typeof budgetOf>[0], unit: string) =>
  budgetOf(units).find((line) => line.unit === unit);

describe("the budget of a day on the Workers Free plan", () => {
  it("begins at midnight UTC", () => {
    expect(startOfDay(MIDNIGHT - 1)).toBe(MIDNIGHT - 24 * HOUR_MS);
    expect(startOfDay(MIDNIGHT)).toBe(MIDNIGHT);
    expect(startOfDay(MIDNIGHT + 24 * HOUR_MS - 1)).toBe(MIDNIGHT);
  });

  it("is nine tenths of what the platform gives; a message is three operations", () => {
    expect(shareOf({ messages: 1_500 }, "queueOperations")).toEqual({
      unit: "queueOperations",
      used: 4_500,
      limit: 9_000,
      share: 0.5,
    });
    expect(shareOf({ kv_writes: 450 }, "kvWrites")).toMatchObject({ limit: 900, share: 0.5 });
    expect(shareOf({ object_requests: 10_000 }, "objectRowsWritten")).toMatchObject({ used: 20_000 });
  });

  it("warns of each resource from 80 % on", () => {
    expect(listScarce(budgetOf({ messages: 2_399 }))).toEqual([]);
    expect(listScarce(budgetOf({ messages: 2_400, kv_reads: 89_000 })).map(({ unit }) => unit)).toEqual([
      "queueOperations",
      "kvReads",
    ]);
  });
});

describe("how checks are thinned", () => {
  it.each<[name: string, units: Parameters<typeof budgetOf>[0], hour: number, every: number]>([
    ["not below the budget", { messages: 2_999 }, 12, 1],
    ["at the budget at noon", { messages: 3_000 }, 12, 13],
    ["at the budget in the evening, when little is left to check", { messages: 3_000 }, 22, 2],
    ["at the budget at once", { messages: 3_000 }, 1, 30],
    ["when all is spent", { messages: 4_000 }, 20, 30],
    ["by the scarcest resource", { messages: 3_000, d1_rows_written: 96_000 }, 22, 9],
    ["not because of visitors' reads of the cache", { kv_reads: 99_000 }, 12, 1],
  ])("%s", (_name, units, hour, every) => {
    expect(decideThinning(budgetOf(units), MIDNIGHT + hour * HOUR_MS)).toBe(every);
  });

  it("leaves enough for the rest of the day at every hour", () => {
    for (let hour = 1; hour < 24; hour++) {
      const every = decideThinning(budgetOf({ messages: 3_000 }), MIDNIGHT + hour * HOUR_MS);
      const rest = ((9_000 / hour) * (24 - hour)) / every;
      if (every < 30) expect(9_000 + rest).toBeLessThanOrEqual(9_700);
    }
  });
});
