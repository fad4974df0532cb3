import { describe, expect, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { cellsOf, lastDay } from "./strip.tsx";

const NOW = Date.UTC(2026, 10, 25, 12, 10);
const { from, to } = lastDay(NOW);
const CELL = DAY_MS / 48;
const none = { spans: [], is_excluded: true };

describe("the cells of a day", () => {
  it("begin on the half hour and end with the one that is now", () => {
    expect([from % CELL, to - NOW]).toEqual([0, 20 * MINUTE_MS]);
    expect(lastDay(NOW + 19 * MINUTE_MS)).toEqual({ from, to });
  });

  it.each([
    { name: "up all the time", status: "up", minutes: 30, trouble: null },
    { name: "down for a moment", status: "down", minutes: 1, trouble: { status: "down", share: 0.3 } },
    { name: "down for half of it", status: "down", minutes: 15, trouble: { status: "down", share: 0.6 } },
    { name: "down throughout", status: "down", minutes: 30, trouble: { status: "down", share: 1 } },
    { name: "degraded", status: "degraded", minutes: 30, trouble: { status: "degraded", share: 1 } },
  ] as const)("say what share of one was bad: $name", ({ status, minutes, trouble }) => {
    const at = from + 10 * CELL;
    const until = at + minutes * MINUTE_MS;
    const intervals = [
      { status, from_at: at, to_at: until },
      { status: "up" as const, from_at: until, to_at: at + CELL },
    ];
    const cells = cellsOf({ intervals, maintenance: none, from, to }, NOW);
    expect(cells[10]).toEqual({ isMeasured: true, trouble });
    expect(cells.filter(({ isMeasured }) => isMeasured)).toHaveLength(1);
  });

  it("count an outage that goes on until now, and not beyond", () => {
    const intervals = [{ status: "down" as const, from_at: to - CELL, to_at: null }];
    const cells = cellsOf({ intervals, maintenance: none, from, to }, NOW);
    expect(cells.at(-1)?.trouble).toEqual({ status: "down", share: 1 });
  });

  it("show maintenance as such where it does not count", () => {
    const intervals = [{ status: "down" as const, from_at: from, to_at: from + CELL }];
    const spans = [{ from_at: from, to_at: from + CELL, is_public: true }];
    const cells = cellsOf({ intervals, maintenance: { spans, is_excluded: true }, from, to }, NOW);
    expect(cells[0]?.trouble?.status).toBe("maintenance");
  });
});
