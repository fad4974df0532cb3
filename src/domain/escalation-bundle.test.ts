import { describe, expect, it } from "vitest";
import { isMassFailure } from "./escalation-bundle.ts";

describe("a mass failure", () => {
  it.each([
    { outages: 4, monitors: 4, is: false },
    { outages: 5, monitors: 5, is: true },
    { outages: 5, monitors: 25, is: true },
    { outages: 5, monitors: 26, is: false },
    { outages: 6, monitors: 26, is: true },
    { outages: 199, monitors: 1000, is: false },
    { outages: 200, monitors: 1000, is: true },
  ])("$outages of $monitors monitors: $is", ({ outages, monitors, is }) => {
    expect(isMassFailure({ outages, monitors })).toBe(is);
  });
});
