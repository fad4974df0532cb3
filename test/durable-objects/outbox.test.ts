import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { count, eq } from "drizzle-orm";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { EventMessage } from "../../src/contract/messages.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { openDb } from "../../src/data/db.ts";
import { eventRules } from "../../src/data/event-rules/table.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { MonitorStore } from "../../src/durable-objects/monitor-store.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { handleEvents } from "../../src/jobs/events.ts";
import { newId } from "../../src/platform/ids.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { createAccount } from "../support/factories.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const BATCH_MAX = 6;
const MESSAGE_BYTES_MAX = 128_000;
const ROW_BYTES_MAX = 2_000_000;
const db = openDb(env.DB);
const stubOf = (id: string) => env.MONITOR.get(env.MONITOR.idFromName(id));
const sizeOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

afterEach(() => vi.useRealTimers());

type TransitionMessage = Extract<EventMessage, { monitor_id: string }>;

/** A composite, whose status may change with every input. */
async function aComposite(page?: { user_id: string; status_page_id: string }) {
  const user_id = page?.user_id ?? (await createAccount()).user_id;
  const status_page_id = page?.status_page_id ?? null;
  const fields = { type: "composite" as const, target: null, status_page_id, created_at: Date.now() - 3_600_000 };
  const { id } = await insertMonitor(user_id, fields);
  await db.update(monitors).set({ check_group_id: "" }).where(eq(monitors.id, id));
  await monitorObject(env, id).sync(id, 1);
  return id;
}

/** The messages that the object sends from now on; they reach no queue. */
async function record(id: string): Promise<TransitionMessage[]> {
  const sent: TransitionMessage[] = [];
  const queue = { send: async (message: TransitionMessage) => void sent.push(message) };
  await runInDurableObject(stubOf(id), (object) => {
    Reflect.set(object, "env", { ...env, EVENTS: queue });
  });
  return sent;
}

/** So many transitions wait in the object, none of them confirmed, each with a message of this length. */
async function waitFor(
  id: string,
  transitionsTotal: number,
  { length = 20, trouble = "degraded" as MonitorStatus } = {},
): Promise<TransitionMessage[]> {
  await runInDurableObject(stubOf(id), (_object, state) => {
    const store = new MonitorStore(state.storage);
    const messages = ["a".repeat(length), "b".repeat(length)];
    for (let done = 0; done < transitionsTotal; done += 1000) {
      const inputs = Array.from({ length: Math.min(1000, transitionsTotal - done) }, (_, n) => ({
        kind: "computed" as const,
        status: n % 2 === 0 ? ("up" as const) : trouble,
        since: Date.now(),
        message: messages[n % 2] ?? "",
      }));
      store.applyInputs(inputs, Date.now());
    }
  });
  await evictDurableObject(stubOf(id));
  return record(id);
}

/** What the object sends of its oldest transitions, by the instance that the runtime keeps of it by then. */
async function oldestOf(id: string): Promise<TransitionMessage[]> {
  const sent = await record(id);
  await monitorObject(env, id).sync(id, 1);
  return sent;
}

/** So many rules of a page that fire whenever a monitor goes down. */
async function insertRules(status_page_id: string, owner_id: string, total: number): Promise<void> {
  const shown = { event_name: "monitor.down", display_name: "Down", classification: "public" as const };
  const content = { conditions: [], actions: [], cooldown_seconds: 0, notify_in_maintenance: true, is_enabled: true };
  const row = { owner_id, created_by: owner_id, status_page_id, version: 1, created_at: 0, updated_at: 0 };
  for (let n = 0; n < total; n++) await db.insert(eventRules).values({ id: newId(), ...row, ...shown, ...content });
  await db.update(statusPages).set({ enabled_rules: total }).where(eq(statusPages.id, status_page_id));
}

const rowOf = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) => {
    const stored = state.storage.kv.get<{ outbox: unknown[]; outbox_waiting?: number }>("monitor");
    return { bytes: sizeOf(stored), waiting: (stored?.outbox.length ?? 0) + (stored?.outbox_waiting ?? 0) };
  });

describe("an object whose consumer stood still", () => {
  it.each([
    100 * inject("effort"),
  ])("drains %i transitions in order through the real consumer, within the limits of D1", async (total) => {
    const id = await aComposite();
    const sent = await waitFor(id, total);
    expect((await rowOf(id)).bytes).toBeLessThan(ROW_BYTES_MAX);
    await monitorObject(env, id).sync(id, 1);
    let largest = 0;
    for (let message = sent.shift(); message; message = sent.shift()) {
      largest = Math.max(largest, sizeOf(message));
      const { database } = limitDatabase(env.DB);
      await consumeEvent(jobScope({ ...recordingEnv().env, DB: database }, "test"), message);
    }
    expect(largest).toBeLessThan(MESSAGE_BYTES_MAX);
    expect(await rowOf(id)).toMatchObject({ waiting: 0 });
    const [recorded] = await db.select({ rows: count() }).from(transitions).where(eq(transitions.monitor_id, id));
    expect(recorded?.rows).toBeGreaterThanOrEqual(total);
    const intervals = await db.select().from(statusIntervals).where(eq(statusIntervals.monitor_id, id));
    expect(intervals.filter(({ to_at }) => to_at === null)).toHaveLength(1);
  }, 120_000);

  it.each([0, 3])("shares the limits of D1 with others of its batch, on a page where %i rules fire", async (rules) => {
    const { user_id } = await createAccount();
    const status_page_id = await insertPage(user_id, { auto_create_incident: true });
    await insertRules(status_page_id, user_id, rules);
    const ids: string[] = [];
    for (let n = 0; n < BATCH_MAX; n++) ids.push(await aComposite({ user_id, status_page_id }));
    for (const id of ids) await waitFor(id, 20, { trouble: "down" });
    for (;;) {
      const messages = (await Promise.all(ids.map(oldestOf))).flat();
      if (messages.length === 0) break;
      const batch = createMessageBatch(
        "events",
        messages.map((body) => ({ id: body.monitor_id, timestamp: new Date(), attempts: 1, body })),
      );
      const { database, queries } = limitDatabase(env.DB);
      await handleEvents(batch, { ...recordingEnv().env, DB: database });
      const { retryMessages } = await getQueueResult(batch, createExecutionContext());
      expect(retryMessages).toEqual([]);
      expect(queries.length).toBeLessThan(1000);
    }
    for (const id of ids) {
      expect(await rowOf(id)).toMatchObject({ waiting: 0 });
      const rows = await db.select({ seq: transitions.seq }).from(transitions).where(eq(transitions.monitor_id, id));
      expect(rows.length).toBeGreaterThanOrEqual(20);
      const found = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, id));
      expect(found.length).toBe(10);
    }
    const fired = await db.select().from(eventRules).where(eq(eventRules.status_page_id, status_page_id));
    expect(fired.map(({ fire_count }) => fire_count)).toEqual(Array(rules).fill(10 * BATCH_MAX));
  }, 120_000);

  it("drains very many transitions with a row and messages of bounded size", async () => {
    const total = 10_000 * inject("effort");
    const id = await aComposite();
    const sent = await waitFor(id, total);
    expect((await rowOf(id)).bytes).toBeLessThan(20_000);
    await monitorObject(env, id).sync(id, 1);
    const seqs: number[] = [];
    for (let message = sent.shift(); message; message = sent.shift()) {
      seqs.push(...message.transitions.map(({ seq }) => seq));
      await monitorObject(env, id).confirm(seqs.at(-1) ?? 0);
    }
    expect(seqs.length).toBeGreaterThanOrEqual(total);
    expect(seqs).toEqual(seqs.map((_seq, n) => n + 1));
    expect(await rowOf(id)).toMatchObject({ waiting: 0 });
  }, 120_000);

  it("keeps messages below the queue's limit when each transition carries 10 kB of text", async () => {
    const id = await aComposite();
    const sent = await waitFor(id, 40, { length: 10_000 });
    await monitorObject(env, id).sync(id, 1);
    let transitionsSeen = 0;
    for (let message = sent.shift(); message; message = sent.shift()) {
      expect(sizeOf(message)).toBeLessThan(MESSAGE_BYTES_MAX);
      transitionsSeen += message.transitions.length;
      await monitorObject(env, id).confirm(message.transitions.at(-1)?.seq ?? 0);
    }
    expect(transitionsSeen).toBeGreaterThanOrEqual(40);
  });

  it("sends again after 10 s, and then less and less often, regardless of other reports meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const id = await aComposite();
    const sent = await waitFor(id, 1);
    await monitorObject(env, id).sync(id, 1);
    sent.length = 0;
    const sentAt: number[] = [];
    const start = Date.now();
    for (let second = 1; second <= 1200; second++) {
      vi.setSystemTime(start + second * 1000);
      if (second % 10 === 0) await runDurableObjectAlarm(stubOf(id));
      if (second % 60 === 0) await monitorObject(env, id).report(id, 1, []);
      if (sent.length > 0) sentAt.push(second);
      sent.length = 0;
    }
    const gaps = sentAt.map((at, n) => at - (sentAt[n - 1] ?? 0));
    expect(gaps.slice(0, 5)).toEqual([10, 20, 40, 80, 160]);
    expect(gaps.slice(5).every((gap) => gap === 300)).toBe(true);
  });

  it("sends nothing for a confirmation that it has had already", async () => {
    const id = await aComposite();
    const sent = await waitFor(id, 60);
    await monitorObject(env, id).sync(id, 1);
    const seq = sent.at(-1)?.transitions.at(-1)?.seq ?? 0;
    sent.length = 0;
    await monitorObject(env, id).confirm(seq);
    await monitorObject(env, id).confirm(seq);
    expect(sent).toHaveLength(1);
  });
});
