import { describe, expect, it } from "vitest";
import { drawSparkline } from "./sparkline-routes.ts";

const point = (at: number, p50_ms: number) => ({ at, p50_ms, p95_ms: p50_ms, max_ms: p50_ms, checks: 1 });
const lineOf = (svg: string) => / d="([^"]*)"/.exec(svg)?.[1];

describe("drawSparkline", () => {
  it("draws nothing where nothing was measured, or once", () => {
    expect(lineOf(drawSparkline([], 0, 96))).toBeUndefined();
    expect(lineOf(drawSparkline([point(1, 5)], 0, 96))).toBeUndefined();
  });

  it("reaches from the slowest at the top to zero at the bottom, by time", () => {
    expect(lineOf(drawSparkline([point(0, 0), point(48, 100), point(96, 50)], 0, 96))).toBe(
      "M0.0 22.0L48.0 2.0L96.0 12.0",
    );
  });

  it("leaves a gap where steps are missing", () => {
    const svg = drawSparkline([point(0, 10), point(8, 10), point(64, 10), point(72, 10)], 0, 96);
    expect(lineOf(svg)).toBe("M0.0 2.0L8.0 2.0M64.0 2.0L72.0 2.0");
  });
});
