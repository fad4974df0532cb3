import { expect, it } from "vitest";
import { createClock } from "./clock.ts";

it.each([
  ["a clock that agrees", 0, 0],
  ["a difference that the network explains", 900, 0],
  ["a clock that is behind", 600_000, 600_000],
  ["a clock that is ahead", -600_000, -600_000],
])("the clock follows the service's: %s", (_name, difference, offset) => {
  const clock = createClock(() => 1_000_000);
  expect(clock.correct({ serverTime: 1_000_050 + difference, sentAt: 1_000_000, receivedAt: 1_000_100 })).toBe(offset);
  expect(clock.now()).toBe(1_000_000 + offset);
});
