import { describe, expect, it } from "vitest";
import { drawSparklines } from "./sparklines.ts";

const point = (at: number, p50_ms: number) => ({ at, p50_ms, p95_ms: p50_ms, max_ms: p50_ms, checks: 1 });
const draw = (points: Parameters<typeof point>[]) =>
  drawSparklines([{ id: "a", points: points.map((each) => point(...each)) }], { from: 0, to: 96 });
const lineOf = (svg: string) => / d="([^"]*)"/.exec(svg)?.[1];

describe("drawSparklines", () => {
  it("draws nothing where nothing was measured, or once", () => {
    expect([lineOf(draw([])), lineOf(draw([[1, 5]]))]).toEqual([undefined, undefined]);
  });

  it("reaches from the slowest at the top to zero at the bottom, by time", () => {
    const line = lineOf(draw([[0, 0], [48, 100], [96, 50]])); // biome-ignore format: one line a monitor
    expect(line).toBe("M0.0 22.0L48.0 2.0L96.0 12.0");
  });

  it("leaves a gap where steps are missing", () => {
    const line = lineOf(draw([[0, 10], [8, 10], [64, 10], [72, 10]])); // biome-ignore format: one line a monitor
    expect(line).toBe("M0.0 2.0L8.0 2.0M64.0 2.0L72.0 2.0");
  });

  it("gives each monitor a symbol of its own, by which its row shows it", () => {
    const svg = drawSparklines(
      ["a", "b"].map((id) => ({ id, points: [] })),
      { from: 0, to: 96 },
    );
    expect([...svg.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id)).toEqual(["line-a", "line-b"]);
  });
});
