import { describe, expect, it } from "vitest";
import { countryPlace, LAND_PATH, MAP_HEIGHT, MAP_WIDTH, projectPlace, spreadPoints } from "./world-map.ts";

/** Whether one of the dots of the land lies at a point, or next to it. */
function isOnLand({ x, y }: { x: number; y: number }): boolean {
  return [...LAND_PATH.matchAll(/M(\d+) (\d+)h(\d+)/g)].some((run) => {
    const [from = 0, row = 0, length = 0] = run.slice(1).map(Number);
    return Math.abs(row - y) <= 1 && x >= from - 1 && x <= from + length + 1;
  });
}

describe("the map of the world", () => {
  it("has large countries on its land, and no place in the middle of an ocean", () => {
    for (const code of ["DE", "US", "BR", "ZA", "IN", "JP", "AU", "SE", "CA", "AE"]) {
      const place = countryPlace(code);
      expect(place && isOnLand(projectPlace(place)), code).toBe(true);
    }
    expect(isOnLand(projectPlace([30, -45]))).toBe(false);
  });

  it("is drawn within its frame, in less than two kilobytes", () => {
    const { x, y } = projectPlace([-57, 180]);
    expect([x <= MAP_WIDTH, y <= MAP_HEIGHT]).toEqual([true, true]);
    expect(LAND_PATH.length).toBeLessThan(2_000);
  });

  it("knows no place for what is no country", () => {
    expect([countryPlace("XX"), countryPlace("T1"), countryPlace("de"), countryPlace(null)]).toEqual(
      Array(4).fill(null),
    );
  });

  it("moves what would hide another location beside it, and nothing else", () => {
    const here = { x: 10, y: 10 };
    const [first, second, third, far] = spreadPoints([here, here, here, { x: 40, y: 10 }], 3);
    expect([first, far]).toEqual([here, { x: 40, y: 10 }]);
    expect(Math.hypot((second?.x ?? 0) - 10, (second?.y ?? 0) - 10)).toBeCloseTo(3);
    expect(Math.hypot((second?.x ?? 0) - (third?.x ?? 0), (second?.y ?? 0) - (third?.y ?? 0))).toBeGreaterThan(2);
  });
});
