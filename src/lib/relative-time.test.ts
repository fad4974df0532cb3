import { describe, expect, it } from "vitest";
import { plural } from "./relative-time.ts";

describe("plural", () => {
  it.each([
    [0, "0 days"],
    [1, "1 day"],
    [2, "2 days"],
  ])("of %i", (count, expected) => {
    expect(plural(count, "day")).toBe(expected);
  });
});
