import { describe, expect, it } from "vitest";
import { createClock } from "./clock.ts";

it.each([
  ["a clock that agrees", 0, 0],
  ["a difference that the network explains", 140, 0],
  ["one that it does not explain", 160, 160],
  ["a clock that is behind", 600_000, 600_000],
  ["a clock that is ahead", -600_000, -600_000],
])("the clock follows the service's: %s", (_name, difference, offset) => {
  const clock = createClock({ wall: () => 1_000_000, steady: () => 7 });
  expect(clock.correct({ serverTime: 999_950 + difference, tookMs: 100 })).toBe(offset);
  expect([clock.now(), clock.offset()]).toEqual([1_000_000 + offset, offset]);
});

describe("a host's clock that is set while the agent runs", () => {
  function running() {
    const host = { wall: 1_000_000, steady: 0 };
    const clock = createClock({ wall: () => host.wall, steady: () => host.steady });
    const pass = (ms: number) => {
      host.wall += ms;
      host.steady += ms;
    };
    return { host, clock, pass };
  }

  it.each([3_600_000, -3_600_000])("moves no result, is noticed and said: by %i ms", (jump) => {
    const { host, clock, pass } = running();
    pass(5_000);
    expect(clock.hasJumped()).toBe(false);
    host.wall += jump;
    pass(5_000);
    expect([clock.now(), clock.offset(), clock.hasJumped()]).toEqual([1_010_000, -jump, true]);
    // The service, which says the time then, knows better.
    clock.correct({ serverTime: 1_010_000, tookMs: 0 });
    expect([clock.now(), clock.offset(), clock.hasJumped()]).toEqual([1_010_000, -jump, false]);
  });

  it("is no jump where a time server moves it little by little", () => {
    const { host, clock, pass } = running();
    host.wall += 400;
    pass(60_000);
    expect(clock.hasJumped()).toBe(false);
  });
});
