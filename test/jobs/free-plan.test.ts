import { afterEach, describe, expect, it, vi } from "vitest";
import { MINUTE_PARTS } from "../../src/contract/messages.ts";
import { QUEUES } from "../../src/contract/queues.ts";
import { FREE_PER_DAY, FREE_PER_INVOCATION } from "../../src/domain/free-plan.ts";
import { PARTS, runMinute } from "../../src/jobs/minute.ts";
import { meter } from "../support/cost-meter.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { recordingEnv } from "../support/queues.ts";

const AT = Date.parse("2026-03-02T10:00:00Z");
const MINUTES = 60;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const tickAt = (at: number) => ({ scheduledTime: at, cron: "* * * * *", noRetry() {} });

describe("the minute on the Workers Free plan", () => {
  it("runs every part within the hour, those that announce something every minute, and sends no message for it", async () => {
    const ran = MINUTE_PARTS.map((part) => vi.spyOn(PARTS, part).mockResolvedValue(undefined));
    const recording = recordingEnv({ PLAN: "free" });
    for (let n = 0; n < MINUTES; n++) await runMinute(tickAt(AT + n * 60_000), recording.env);
    const times = Object.fromEntries(MINUTE_PARTS.map((part, n) => [part, ran[n]?.mock.calls.length]));
    expect(Object.values(times)).not.toContain(0);
    for (const part of ["deliveries", "held alerts", "escalations", "on-call notifications", "maintenance"] as const) {
      expect(times[part]).toBe(MINUTES);
    }
    expect(recording.minute).toEqual([]);
  });

  it("keeps a tick with nothing to do within the queries of an invocation, and a day within a tenth of its rows", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let most = 0;
    let messages = 0;
    const sums = { read: 0, written: 0 };
    for (let n = 0; n < MINUTES; n++) {
      const at = AT + 86_400_000 + n * 60_000;
      vi.setSystemTime(at);
      const units = await meter(async (metered) => {
        const limited = limitDatabase(metered.DB, FREE_PER_INVOCATION.queries);
        const bindings = { ...metered, DB: limited.database, PLAN: "free" };
        await runMinute(tickAt(at), bindings);
        most = Math.max(most, limited.queries.length);
      });
      sums.read += units.rows_read;
      sums.written += units.rows_written;
      messages += units.messages;
    }
    expect(most).toBeLessThanOrEqual(FREE_PER_INVOCATION.queries);
    // A marker a queue, and a part that did not fit into its tick now and then.
    expect(messages).toBeLessThanOrEqual(QUEUES.length + 3);
    expect(sums.read * 24).toBeLessThanOrEqual(FREE_PER_DAY.d1RowsRead / 10);
    expect(sums.written * 24).toBeLessThanOrEqual(FREE_PER_DAY.d1RowsWritten / 10);
  });
});
