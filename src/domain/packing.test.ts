import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Container, planPacking } from "./packing.ts";

const CAPACITY = 60;
const sizes = fc.array(fc.nat(CAPACITY), { maxLength: 40 });
const named = (found: readonly number[]): Container[] => found.map((size, n) => ({ id: `shard-${n}`, size }));

describe("packing", () => {
  it.each([
    ["two half full ones become one", [30, 30], [["shard-1", "shard-0", 30]]],
    [
      "three become two, the third divided among them",
      [40, 40, 40],
      [
        ["shard-2", "shard-0", 20],
        ["shard-2", "shard-1", 20],
      ],
    ],
    ["nothing moves where no container becomes free", [31, 30], []],
    ["full and empty ones stay as they are", [60, 30, 0], []],
  ])("%s", (_name, before, moves) => {
    expect(planPacking(named(before), CAPACITY).map(({ from, to, count }) => [from, to, count])).toEqual(moves);
  });

  it("leaves as few containers as possible, overfills none and loses no monitor", () => {
    fc.assert(
      fc.property(sizes, (before) => {
        const after = new Map(named(before).map(({ id, size }) => [id, size]));
        for (const { from, to, count } of planPacking(named(before), CAPACITY)) {
          after.set(from, (after.get(from) ?? 0) - count);
          after.set(to, (after.get(to) ?? 0) + count);
        }
        const left = [...after.values()];
        const total = before.reduce((sum, size) => sum + size, 0);
        expect(left.every((size) => size >= 0 && size <= CAPACITY)).toBe(true);
        expect(left.reduce((sum, size) => sum + size, 0)).toBe(total);
        expect(left.filter((size) => size > 0)).toHaveLength(Math.ceil(total / CAPACITY));
      }),
    );
  });
});
