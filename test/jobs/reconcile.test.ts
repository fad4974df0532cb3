import { createMessageBatch, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MinuteMessage } from "../../src/contract/messages.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { handleMinuteParts } from "../../src/jobs/minute.ts";
import type { Env } from "../../src/platform/env.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { createAccount } from "../support/factories.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);

afterEach(() => vi.useRealTimers());

/** The part as five ticks send it: each message in an invocation of its own, with the limits of D1. */
async function runFiveMinutes(bindings: Env, start: number): Promise<number> {
  let count = 0;
  for (let minute = 0; minute < 5; minute++) {
    const minute_at = start + minute * MINUTE;
    const messages: { body: MinuteMessage }[] = [{ body: { part: "unscheduled monitors", minute_at } }];
    const sendBatch = async (sent: Iterable<{ body: MinuteMessage }>) => void messages.push(...sent);
    for (const [n, { body }] of messages.entries()) {
      const limited = { ...bindings, DB: limitDatabase(env.DB).database, MINUTE: { sendBatch } };
      const message = { id: String(n), timestamp: new Date(), attempts: 1, body };
      await handleMinuteParts(createMessageBatch("minute", [message]), limited);
    }
    count += messages.length;
  }
  return count;
}

describe("monitors without a check schedule", () => {
  it("are all reconciled within five minutes, 100,000 of them, each once", async () => {
    const { user_id } = await createAccount();
    const now = Date.now();
    for (let from = 0; from < 100_000; from += 20_000) {
      await env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + 19_999})
        INSERT INTO monitors (id, owner_id, created_by, name, type, interval, timeout_seconds, failure_threshold,
          recovery_threshold, shard_id, check_group_id, status_since, created_at, updated_at)
        SELECT printf('%08d-rota', i), ?1, ?1, 'Job', 'heartbeat', 60, 10, 1, 1, '', '', ?2, ?2 + i, ?2 FROM n`,
      )
        .bind(user_id, now)
        .run();
    }
    const synced = new Map<string, number>();
    const record = async (id: string) => {
      synced.set(id, (synced.get(id) ?? 0) + 1);
      return null;
    };
    const namespace: unknown = { getByName: () => ({ sync: record }) };
    const bindings = { ...recordingEnv().env, MONITOR: namespace as Env["MONITOR"] };
    const messages = await runFiveMinutes(bindings, Math.floor(now / MINUTE) * MINUTE);
    const mine = [...synced].filter(([id]) => id.endsWith("-rota"));
    expect(mine).toHaveLength(100_000);
    expect(mine.every(([, times]) => times === 1)).toBe(true);
    expect(messages).toBeGreaterThanOrEqual(250);
    await db.delete(monitors).where(sql`${monitors.id} LIKE '%-rota'`);
  }, 120_000);

  it("are found through the index, in any number", async () => {
    const plan = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT id FROM monitors WHERE check_group_id = '' AND agent_id IS NULL AND paused = 0
        AND created_at % 5 = ?1 ORDER BY id LIMIT 400`,
    )
      .bind(3)
      .all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail)).toEqual([expect.stringContaining("monitors_reconcile")]);
  });

  it("notice a missed deadline within five minutes after their object's alarm was lost", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { user_id } = await createAccount();
    const { id } = await insertMonitor(user_id, { type: "heartbeat", target: null, interval: 3600, shard_id: "" });
    await db.update(monitors).set({ check_group_id: "", failure_threshold: 1 }).where(eq(monitors.id, id));
    const push = { kind: "heartbeat", credential_version: 1, credential_key: 1, per_minute: null } as const;
    const beat = { status: "ok", message: null, duration_ms: null, exit_code: null, run_id: null } as const;
    await monitorObject(env, id).push(id, { ...push, beat });
    await runInDurableObject(env.MONITOR.get(env.MONITOR.idFromName(id)), (_object, state) =>
      state.storage.deleteAlarm(),
    );
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    const { env: bindings } = recordingEnv();
    await runFiveMinutes(bindings, Math.floor(Date.now() / MINUTE) * MINUTE);
    const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
    // Noticed later than 30 s after it passed, the deadline proves nothing about the job.
    expect(row).toMatchObject({ status: "unknown" });
  });
});
