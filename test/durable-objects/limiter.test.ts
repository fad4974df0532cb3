import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LimiterObject } from "../../src/durable-objects/limiter.ts";
import { newId } from "../../src/platform/ids.ts";

const MINUTE = 60_000;
/** A day to come, so that the machine sends no alarm by itself. */
const START = Date.UTC(2031, 0, 1);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

describe("a counter", () => {
  const quota = () => ({ limit: 2, window_ms: MINUTE, now: Date.now() });
  const inCounter = (run: (counter: LimiterObject, state: DurableObjectState) => Promise<void>) =>
    runInDurableObject(env.LIMITER.getByName(newId()), run);

  it("loses nothing to an alarm of an earlier window that comes again", () =>
    inCounter(async (counter) => {
      await counter.take(quota());
      vi.setSystemTime(START + MINUTE);
      await counter.alarm();
      expect([await counter.take(quota()), await counter.take(quota())]).toEqual([0, 0]);
      await counter.alarm();
      expect(await counter.take(quota())).toBe(MINUTE);
    }));

  it("is empty once its window is over", () =>
    inCounter(async (counter, { storage }) => {
      await counter.take(quota());
      expect(await storage.getAlarm()).toBe(START + MINUTE);
      vi.setSystemTime(START + MINUTE);
      await counter.alarm();
      expect([...storage.kv.list()]).toEqual([]);
    }));
});
