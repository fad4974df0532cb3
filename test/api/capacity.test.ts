import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { meterBindings, readUsage, reportUsage } from "../../src/platform/usage.ts";
import { CORE } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";

const URL = `${CORE}/uptime/capacity`;
const counted = async () => (await readUsage(env, 0)).units;

describe("GET /uptime/capacity", () => {
  it("is for operators alone", async () => {
    const { client } = await createAccount({ plan: "business" });
    expect(await client.get(URL)).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });

  it("counts what requests used, and says what that costs and what still fits", async () => {
    const { client } = await createAccount({ operator: true });
    const before = (await client.get(URL)).body;
    await createMonitor(client);
    const { status, body } = await client.get(URL);
    expect(status).toBe(200);
    expect(Date.parse(body.counted_from)).toBeLessThanOrEqual(Date.now());
    expect(body.units.requests).toBeGreaterThanOrEqual(before.units.requests + 2);
    expect(body.units.d1_rows_written).toBeGreaterThan(before.units.d1_rows_written + 2);
    expect(body.units.d1_rows_read).toBeGreaterThan(before.units.d1_rows_read);
    expect(body.units.object_requests).toBeGreaterThan(before.units.object_requests);
    expect(body.units.d1_bytes).toBeGreaterThan(100_000);
    expect(body.cost.month_usd).toBeGreaterThanOrEqual(5);
    expect(body.cost.per_million_checks_usd).toBeGreaterThan(0);
    expect(body.limits.map(({ name }: { name: string }) => name)).toEqual([
      "d1_bytes",
      "checks_per_second",
      "messages_per_second",
    ]);
    for (const { used, limit, share } of body.limits) expect(share).toBeCloseTo(used / limit, 5);
    expect(body.monitors.now).toBe(before.monitors.now + 1);
    expect(body.monitors.fit).toBeGreaterThan(0);
  });

  it("shows the state of the installation in the overview of operators alone", async () => {
    const operator = await createAccount({ operator: true });
    const other = await createAccount();
    expect((await operator.client.get(`${CORE}/overview`)).body.service).toMatchObject({ late_queues: [] });
    expect((await other.client.get(`${CORE}/overview`)).body.service).toBeNull();
  });
});

describe("counted units", () => {
  const metered = meterBindings(env);

  it("are the rows that D1 names, for single writes, batches and rows that a write returns", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    const db = openDb(metered.DB);
    await reportUsage(env);
    const before = await counted();
    const rename = db.update(monitors).set({ name: "Renamed" }).where(eq(monitors.id, id));
    await rename;
    const [returned] = await rename.returning({ name: monitors.name, id: monitors.id });
    expect(returned).toEqual({ name: "Renamed", id });
    await db.batch([rename, db.select().from(monitors).where(eq(monitors.id, id))]);
    await reportUsage(env);
    const after = await counted();
    expect(after.d1_rows_written - before.d1_rows_written).toBeGreaterThanOrEqual(3);
    expect(after.d1_rows_read - before.d1_rows_read).toBeGreaterThanOrEqual(4);
  });

  it("are messages, cache operations and calls of objects", async () => {
    await reportUsage(env);
    const before = await counted();
    await metered.EVENTS.sendBatch([{ body: { marker_sent_at: 1 } }, { body: { marker_sent_at: 2 } }]);
    await metered.EVENTS.send({ marker_sent_at: 3 });
    await metered.PAGES.get("nothing");
    await metered.PAGES.put("something", "there");
    await metered.PAGES.delete("something");
    metered.MONITOR.getByName("a monitor");
    await reportUsage(env);
    const after = await counted();
    const growth = (unit: keyof typeof after) => after[unit] - before[unit];
    expect([growth("messages"), growth("kv_reads"), growth("kv_writes")]).toEqual([3, 1, 2]);
    expect(growth("object_requests")).toBeGreaterThanOrEqual(1);
  });

  it("stay pending while the object that adds them up is unreachable", async () => {
    await reportUsage(env);
    const before = await counted();
    await metered.PAGES.get("nothing");
    const unreachable = { getByName: () => ({ add: () => Promise.reject(new Error("object is down")) }) };
    await expect(reportUsage({ ...env, METER: unreachable as never })).rejects.toThrow("object is down");
    await reportUsage(env);
    expect((await counted()).kv_reads).toBe(before.kv_reads + 1);
  });
});
