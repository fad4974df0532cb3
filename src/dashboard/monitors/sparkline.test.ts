import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { lineOf, Sparkline } from "./sparkline.tsx";

const RANGE = { from: 1000 * HOUR_MS, step_ms: HOUR_MS };
const pointsOf = (medians: Record<number, number>) =>
  Object.entries(medians).map(([hour, p50_ms]) => {
    const at = RANGE.from + Number(hour) * HOUR_MS;
    return { at, p50_ms, p95_ms: p50_ms, max_ms: p50_ms, checks: 1, phases: null };
  });

describe("the line of latencies in a row", () => {
  it("is not there where nothing was measured, or in one hour alone", () => {
    for (const points of [pointsOf({}), pointsOf({ 4: 10 })]) {
      expect(inEnglish(() => String(Sparkline({ points, range: RANGE })))).not.toContain("<path");
    }
  });

  it("reaches from the slowest at the top to the fastest at the bottom, over the day", () => {
    const day = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, hour === 0 ? 0 : 100]));
    expect(lineOf(pointsOf(day), RANGE)).toMatch(/^M0 22L4 2L8 2.*L96 2$/);
  });

  it("stays in the middle while nothing changes, and has a gap where hours are missing", () => {
    expect(lineOf(pointsOf({ 0: 10, 1: 10, 20: 10, 21: 10 }), RANGE)).toBe("M0 12L4 12M83 12L88 12");
  });

  it("takes less than 240 bytes a row", () => {
    const day = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, 100 + 37 * (hour % 7)]));
    expect(lineOf(pointsOf(day), RANGE).length).toBeLessThan(240);
  });
});
