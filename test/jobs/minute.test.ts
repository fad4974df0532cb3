import { createExecutionContext, createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MESSAGES_PER_MINUTE, UNITS_PER_MINUTE } from "../../scripts/deploy/cost.ts";
import type { Scope } from "../../src/access/scope.ts";
import { MINUTE_BUNDLES, MINUTE_PARTS, type MinuteBundle } from "../../src/contract/messages.ts";
import { QUEUES } from "../../src/contract/queues.ts";
import { handleMinuteParts, PARTS, runMinute } from "../../src/jobs/minute.ts";
import { newId } from "../../src/platform/ids.ts";
import worker from "../../src/worker.ts";
import { meter } from "../support/cost-meter.ts";
import { recordingEnv } from "../support/queues.ts";

const AT = Date.parse("2026-03-01T10:00:00Z");
const controller = { scheduledTime: AT, cron: "* * * * *", noRetry() {} };

const spies = () => MINUTE_PARTS.map((part) => vi.spyOn(PARTS, part).mockResolvedValue(undefined));

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the minute", () => {
  it("gives every part a message of its own, or one with those that seldom find anything", async () => {
    const ran = spies();
    const recording = recordingEnv();
    await runMinute(controller, recording.env);
    expect(ran.filter(({ mock }) => mock.calls.length > 0)).toEqual([]);
    const sent = recording.minute.map(({ body }) => ("part" in body ? body.part : ""));
    const parts = sent.flatMap((part) => (part in MINUTE_BUNDLES ? MINUTE_BUNDLES[part as MinuteBundle] : [part]));
    expect(parts.toSorted()).toEqual([...MINUTE_PARTS].sort());
  });

  it("sends as many messages as the bill counts while there is nothing to do, markers of all queues included", async () => {
    const units = await meter((metered) => runMinute(controller, metered));
    expect(units.messages).toBeLessThanOrEqual(MESSAGES_PER_MINUTE);
    expect(units.messages).toBeLessThanOrEqual(25);
  });

  it("reads and writes as many rows as the bill counts while there is nothing to do, from the second one on", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const minuteAfter = async (minutes: number) => {
      const at = AT + minutes * 60_000;
      vi.setSystemTime(at);
      const recording = recordingEnv();
      const tick = { ...controller, scheduledTime: at };
      return meter(async (metered) => {
        await runMinute(tick, { ...metered, MINUTE: recording.env.MINUTE });
        for (const { body } of recording.minute) await handleMinuteParts(batchOf("minute", body), metered);
        for (const queue of QUEUES) {
          await worker.queue(batchOf(queue, { marker_sent_at: at }), metered, createExecutionContext());
        }
      });
    };
    const batchOf = (queue: string, body: unknown) =>
      createMessageBatch(queue, [{ id: newId(), timestamp: new Date(), attempts: 1, body }]);
    await minuteAfter(0);
    await minuteAfter(1);
    const { rows_read, rows_written } = await minuteAfter(2);
    expect(rows_read).toBeLessThanOrEqual(UNITS_PER_MINUTE.d1RowsRead);
    expect(rows_written).toBeLessThanOrEqual(UNITS_PER_MINUTE.d1RowsWritten);
  });

  it("runs every part itself when the queue takes no messages, also after one that throws", async () => {
    const ran = spies();
    ran[0]?.mockRejectedValue(new Error("broken part"));
    const sendBatch = () => Promise.reject(new Error("queue is down"));
    await runMinute(controller, recordingEnv({ MINUTE: { sendBatch } as never }).env);
    expect(ran.map(({ mock }) => mock.calls.length)).toEqual(ran.map(() => 1));
  });
});

describe("a bundle of parts", () => {
  const parts = MINUTE_BUNDLES.housekeeping;
  const run = async () => {
    const recording = recordingEnv();
    const message = { id: "1", timestamp: new Date(AT), attempts: 1, body: { part: "housekeeping", minute_at: AT } };
    vi.useFakeTimers({ toFake: ["Date"], now: AT });
    await handleMinuteParts(createMessageBatch("minute", [message]), recording.env);
    return recording.minute.map(({ body }) => body);
  };
  const counts = (ran: ReturnType<typeof spies>) =>
    Object.fromEntries(MINUTE_PARTS.map((part, n) => [part, ran[n]?.mock.calls.length]));

  it("runs each of them once, also after one that throws", async () => {
    const ran = spies();
    vi.mocked(PARTS[parts[0]]).mockRejectedValue(new Error("broken part"));
    expect(await run()).toEqual([]);
    expect(
      Object.entries(counts(ran))
        .flatMap(([part, times]) => (times ? [part] : []))
        .toSorted(),
    ).toEqual([...parts].sort());
  });

  it.each([
    [
      "took many queries",
      async (scope: Scope) => {
        for (let n = 0; n < 61; n++) await scope.db.run("SELECT 1");
      },
    ],
    ["took long", async () => void vi.setSystemTime(AT + 5_001)],
  ])("starts what is left apart where one %s", async (_name, work) => {
    const ran = spies();
    vi.mocked(PARTS[parts[1]]).mockImplementation(work);
    expect(await run()).toEqual(parts.slice(2).map((part) => ({ part, minute_at: AT })));
    expect([counts(ran)[parts[1]], counts(ran)[parts[2]]]).toEqual([1, 0]);
  });
});

describe("a part of the minute", () => {
  const deliver = async (body: unknown) => {
    const message = { id: "1", timestamp: new Date(AT), attempts: 1, body };
    await handleMinuteParts(createMessageBatch("minute", [message]), recordingEnv().env);
  };

  it("runs with the time of its minute where the clock is a little behind it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(AT - 1);
    const sweep = vi.spyOn(PARTS, "agents").mockResolvedValue(undefined);
    await deliver({ part: "agents", minute_at: AT });
    expect(sweep.mock.calls[0]?.[0].now).toBe(AT);
  });

  it("is left to the message of a later minute once it waited for more than two", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const sweep = vi.spyOn(PARTS, "agents").mockResolvedValue(undefined);
    vi.setSystemTime(AT + 120_000);
    await deliver({ part: "agents", minute_at: AT });
    expect(sweep.mock.calls).toHaveLength(1);
    vi.setSystemTime(AT + 120_001);
    await deliver({ part: "agents", minute_at: AT });
    expect(sweep.mock.calls).toHaveLength(1);
  });

  it.each([
    ["a part that this release does not have", { part: "agentz", minute_at: AT }],
    ["a portion of one", { part: "agentz", minute_at: AT, items: ["a"] }],
    ["a portion of a part that takes none", { part: "agents", minute_at: AT, items: ["a"] }],
  ])("is a dead letter, which health counts, where it names %s", async (_name, body) => {
    const deadLetters = async () => {
      const row = await env.DB.prepare("SELECT dead_letters FROM queue_health WHERE queue = 'minute'").first();
      return Number(row?.dead_letters ?? 0);
    };
    const before = await deadLetters();
    await deliver(body);
    expect(await deadLetters()).toBe(before + 1);
  });
});
