import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startClock } from "../../scripts/local/clock.ts";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-03-01T12:00:30.250Z") }));
afterEach(() => void vi.useRealTimers());

function ticksOf(during: () => Promise<void> = async () => {}) {
  const ticks: string[] = [];
  const clock = startClock((at) => {
    ticks.push(at.toISOString().slice(11));
    return during();
  });
  return { ticks, clock };
}

describe("the local clock", () => {
  it("ticks at once and then at each full minute, always with a full minute", () => {
    const { ticks, clock } = ticksOf();
    expect(ticks).toEqual(["12:00:00.000Z"]);
    vi.advanceTimersByTime(29_749);
    expect(ticks).toEqual(["12:00:00.000Z"]);
    vi.advanceTimersByTime(60_001);
    clock[Symbol.dispose]();
    vi.advanceTimersByTime(600_000);
    expect(ticks).toEqual(["12:00:00.000Z", "12:01:00.000Z", "12:02:00.000Z"]);
  });

  it("goes on at the present minute after the machine slept", () => {
    const { ticks, clock } = ticksOf();
    vi.setSystemTime(new Date("2026-03-01T15:10:20Z"));
    vi.advanceTimersByTime(30_000);
    vi.advanceTimersByTime(60_000);
    clock[Symbol.dispose]();
    expect(ticks).toEqual(["12:00:00.000Z", "15:10:00.000Z", "15:11:00.000Z"]);
  });

  it("goes on when a tick fails or never ends", async () => {
    const report = vi.spyOn(console, "error").mockReturnValue();
    const failing = ticksOf(() => Promise.reject(new Error("no")));
    const hanging = ticksOf(() => new Promise(() => {}));
    vi.advanceTimersByTime(60_000);
    failing.clock[Symbol.dispose]();
    hanging.clock[Symbol.dispose]();
    await Promise.resolve();
    expect(report).toHaveBeenCalledTimes(2);
    report.mockRestore();
    expect(failing.ticks).toEqual(["12:00:00.000Z", "12:01:00.000Z"]);
    expect(hanging.ticks).toEqual(failing.ticks);
  });
});
