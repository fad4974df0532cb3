import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, inArray, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors, transitions } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries, webhooks } from "../../src/data/webhooks/table.ts";
import { handleEvents } from "../../src/jobs/events.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { shareReads } from "../../src/platform/shared-reads.ts";
import { countCalls } from "../support/count-calls.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

function sharedDb() {
  const { database, calls } = countCalls(env.DB);
  return { db: openDb(shareReads(database)), calls };
}

async function aPage(count: number) {
  const { user_id } = await createAccount();
  const page_id = await insertPage(user_id, { auto_create_incident: true, name: "A page" });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await insertMonitor(user_id, { status_page_id: page_id, name: `Monitor ${n}` })).id);
  }
  return { user_id, page_id, ids };
}

describe("shared reads", () => {
  it("take one round trip for whatever is asked for at the same moment, and give each its own rows", async () => {
    const { ids } = await aPage(3);
    const { db, calls } = sharedDb();
    const found = await Promise.all([
      ...ids.map((id) => db.select({ name: monitors.name, id: monitors.id }).from(monitors).where(eq(monitors.id, id))),
      db.select({ id: monitors.id }).from(monitors).where(eq(monitors.id, newId())),
    ]);
    expect(found).toEqual([...ids.map((id, n) => [{ name: `Monitor ${n}`, id }]), []]);
    expect(calls()).toBe(1);
    expect(await Promise.all([db.all(sql`SELECT 1 AS one`), db.all(sql`SELECT 2 AS two`)])).toEqual([
      [{ one: 1 }],
      [{ two: 2 }],
    ]);
    expect(calls()).toBe(2);
  });

  it("keep columns of one name in a join, and run writes in their own transaction", async () => {
    const { ids, page_id } = await aPage(1);
    const [id = ""] = ids;
    const { db, calls } = sharedDb();
    const joined = db
      .select({
        monitor: { id: monitors.id, name: monitors.name },
        page: { id: statusPages.id, name: statusPages.name },
      })
      .from(monitors)
      .innerJoin(statusPages, eq(statusPages.id, monitors.status_page_id))
      .where(eq(monitors.id, id));
    const renamed = db.update(monitors).set({ name: "Renamed" }).where(eq(monitors.id, id));
    const read = db.select({ name: monitors.name }).from(monitors).where(eq(monitors.id, id));
    expect(await joined).toEqual([{ monitor: { id, name: "Monitor 0" }, page: { id: page_id, name: "A page" } }]);
    const [, after] = await db.batch([renamed, read]);
    expect(after).toEqual([{ name: "Renamed" }]);
    expect(calls()).toBe(2);
  });

  it("fail alone", async () => {
    const { ids } = await aPage(1);
    const { db } = sharedDb();
    const read = db.select({ id: monitors.id }).from(monitors).where(inArray(monitors.id, ids));
    const [found, failed] = await Promise.allSettled([read, db.all(sql`SELECT nothing FROM nowhere`)]);
    expect(found).toMatchObject({ status: "fulfilled", value: [{ id: ids[0] }] });
    expect(failed).toMatchObject({ status: "rejected" });
  });
});

describe("monitors that go down at once", () => {
  it("take hardly more than one call of the database each, with incident and alert", async () => {
    const { user_id, ids } = await aPage(40);
    const webhook_id = newId();
    await openDb(env.DB)
      .insert(webhooks)
      .values({
        ...{ id: webhook_id, owner_id: user_id, created_by: user_id, name: "all", provider: "generic" },
        sealed: await seal(env.ROOT_SECRET, webhook_id, { url: "http://sink.test/", secret: null }),
        ...{ created_at: 0, updated_at: 0 },
      });
    const at = Date.now();
    const down: MonitorTransition = {
      ...{ seq: 2, from: "up", to: "down", at, effective_at: at, message: "connection refused" },
      ...{ latency_ms: null, region: "default", outage: { seq: 2, started_at: at }, event: "monitor.down" },
    };
    const { database, calls } = countCalls(env.DB);
    const batch = createMessageBatch(
      "events",
      ids.map((monitor_id) => {
        const body = { monitor_id, transitions: [down] };
        return { id: newId(), timestamp: new Date(), attempts: 1, body };
      }),
    );
    await handleEvents(batch, recordingEnv({ DB: database }).env);
    const db = openDb(env.DB);
    expect(await db.select().from(transitions).where(inArray(transitions.monitor_id, ids))).toHaveLength(40);
    expect(await db.select().from(incidents).where(inArray(incidents.origin_monitor_id, ids))).toHaveLength(40);
    expect(await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook_id))).toHaveLength(40);
    // One writes what follows from each; what the forty read alike travels together.
    expect(calls() / ids.length).toBeLessThanOrEqual(1.5);
  });
});
