import { describe, expect, it } from "vitest";
import { drawLatency } from "./latency-chart.ts";

const range = { from: 0, to: 600, step_ms: 60 };
const point = (at: number, p50_ms: number, p95_ms = p50_ms) => ({ at, p50_ms, p95_ms });

describe("a chart of response times", () => {
  it("scales to a round number above the highest value", () => {
    expect(drawLatency([point(0, 100, 180)], range)?.top_ms).toBe(200);
    expect(drawLatency([point(0, 10, 501)], range)?.top_ms).toBe(1000);
    expect(drawLatency([point(0, 0)], range)?.top_ms).toBe(1);
  });

  it("draws a line through neighbours and leaves gaps where there is no data", () => {
    const chart = drawLatency([point(0, 50), point(60, 100), point(300, 100)], range);
    expect(chart?.median).toBe("M0 80L30 80L90 0M300 0L330 0");
  });

  it("is none without data", () => {
    expect(drawLatency([], range)).toBeNull();
  });
});
