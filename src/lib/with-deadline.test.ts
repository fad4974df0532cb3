import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withDeadline, withTimeoutSignal } from "./with-deadline.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("withDeadline", () => {
  it("resolves with work that is done in time and leaves no timer", async () => {
    expect(await withDeadline(Promise.resolve("done"), 1000)).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects with the error of the work", async () => {
    await expect(withDeadline(Promise.reject(new Error("broken")), 1000)).rejects.toThrow("broken");
  });

  it("rejects at the deadline when the work never ends", async () => {
    const outcome = withDeadline(new Promise(() => {}), 1000).catch(String);
    await vi.advanceTimersByTimeAsync(999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe("Error: no answer within 1000 ms");
  });
});

describe("withTimeoutSignal", () => {
  it("aborts as AbortSignal.timeout does, and leaves no timer behind", async () => {
    const aborted = withTimeoutSignal(
      1000,
      (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    );
    await vi.advanceTimersByTimeAsync(1000);
    const { target } = (await aborted) as { target: AbortSignal };
    expect(target.reason).toMatchObject({ name: "TimeoutError" });
    expect(await withTimeoutSignal(1000, async (signal) => signal.aborted)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
