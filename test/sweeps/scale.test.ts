import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { MESSAGES_PER_CHANGE, PLANNING } from "../../scripts/scale.ts";
import { jobScope } from "../../src/access/scope.ts";
import { planMinute } from "../../src/checks/planner.ts";
import { DATABASE_USE } from "../../src/domain/capacity.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { insertMany } from "../support/backlog.ts";
import { meter } from "../support/cost-meter.ts";
import { createAccount } from "../support/factories.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const T0 = Date.now();
const MONITORS = 40;
const CHANGES = 4;

async function sizeOfDatabase(): Promise<number> {
  const { meta } = await env.DB.prepare("SELECT 1").run();
  return meta.size_after;
}

/** What a change of status with its event writes and leaves behind, and its deliveries to so many receivers. */
async function measureChange(receivers: number) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id);
  for (let n = 0; n < receivers; n++) await createWebhook(account);
  sink.serve("https://sink.test/", () => new Response("ok"));
  const empty = await sizeOfDatabase();
  const ids: string[] = [];
  for (let n = 0; n < MONITORS; n++) {
    ids.push((await insertMonitor(account.user_id, { status_page_id, created_at: T0 - 1000 })).id);
  }
  const before = await sizeOfDatabase();
  const messages = { events: 0, deliveries: 0 };
  const { rows_written } = await meter(async ({ DB }) => {
    const { report, drain, handled } = playQueues(recordingEnv({ DB }));
    for (let change = 1; change <= CHANGES; change++) {
      const at = T0 + change * 600_000;
      for (const [n, id] of ids.entries()) await report(id, transitionOf(change, at + 1000 * n));
      await drain(at + 60_000);
    }
    Object.assign(messages, handled);
  });
  const count = MONITORS * CHANGES;
  return {
    rows: rows_written / count,
    bytes: ((await sizeOfDatabase()) - before) / count,
    monitor_bytes: (before - empty) / MONITORS,
    messages: { events: messages.events / count, deliveries: messages.deliveries / count },
  };
}

describe("what docs/scale.md counts with", () => {
  it("holds for a change of status, with its event and two deliveries", async () => {
    const [kept, sent] = [await measureChange(0), await measureChange(2)];
    expect(sent.rows).toBeLessThanOrEqual(DATABASE_USE.rows_per_change);
    expect(kept.bytes).toBeLessThanOrEqual(DATABASE_USE.bytes_per_change);
    expect(sent.bytes - kept.bytes).toBeLessThanOrEqual(DATABASE_USE.bytes_of_deliveries);
    expect(sent.monitor_bytes).toBeLessThanOrEqual(DATABASE_USE.bytes_per_monitor);
    expect(sent.messages.events).toBeLessThanOrEqual(MESSAGES_PER_CHANGE.events);
    expect(sent.messages.deliveries).toBeLessThanOrEqual(MESSAGES_PER_CHANGE.deliveries);
  });

  it("holds for the calls that plan a minute of 72,000 monitors", async () => {
    const groups = 1_200;
    const minute = Math.ceil(T0 / 60_000) * 60_000;
    await insertMany("check_groups", groups, {
      id: "printf('planned-%05d/60/any/normal', i)",
      shard_id: "printf('planned-%05d', i)",
      interval: 60,
      regions: "'[]'",
      lane: "'normal'",
      last_slot_at: minute - 1,
      latest: "'[]'",
    });
    const { database, queries } = limitDatabase(env.DB);
    const recording = recordingEnv({ DB: database });
    const send = vi.spyOn(recording.env.CHECKS, "sendBatch");
    await planMinute(jobScope(recording.env, "test"), minute);
    expect(recording.checks.length).toBeGreaterThanOrEqual(groups);
    const wanted = PLANNING.calls + groups / PLANNING.groups_per_query + groups / PLANNING.groups_per_send;
    expect(queries.length + send.mock.calls.length).toBeLessThanOrEqual(Math.ceil(wanted));
  });
});
