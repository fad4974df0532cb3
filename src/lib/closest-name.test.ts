import { describe, expect, it } from "vitest";
import { closestName } from "./closest-name.ts";

const NAMES = ["name", "interval", "retry_interval", "cron_schedule", "url", "id"];

describe("closestName", () => {
  it.each([
    ["intervall", "interval"],
    ["Interval", "interval"],
    ["nmae", undefined],
    ["nam", "name"],
    ["cron", "cron_schedule"],
    ["uri", "url"],
    ["colour", undefined],
    ["", undefined],
  ])("takes %j for %j", (name, meant) => {
    expect(closestName(name, NAMES)).toBe(meant);
  });
});
