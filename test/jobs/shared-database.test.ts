import { env } from "cloudflare:workers";
import { eq, inArray, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Db, onPagesChanged, openDb, runBatch, shareWrites } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { bumpPageVersion } from "../../src/data/status-pages/write.ts";
import { failBatchWhen } from "../../src/data/write-guards/write.ts";
import { isUnavailable, violates } from "../../src/platform/d1-errors.ts";
import { newId } from "../../src/platform/ids.ts";
import { shareReads } from "../../src/platform/shared-reads.ts";
import { countCalls } from "../support/count-calls.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { override } from "../support/override.ts";

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
  it("take one round trip for all that is asked for at the same moment, and give each its own rows", async () => {
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

describe("shared commits", () => {
  const rename = (db: Db, id: string, name: string) => db.update(monitors).set({ name }).where(eq(monitors.id, id));
  const namesOf = async (ids: string[]) => {
    const rows = await openDb(env.DB).select().from(monitors).where(inArray(monitors.id, ids));
    return ids.map((id) => rows.find((row) => row.id === id)?.name);
  };
  const sharedWrites = (database: D1Database) => {
    const db = openDb(shareReads(database));
    shareWrites(db, isUnavailable);
    return db;
  };

  it("are one transaction of all that is committed at the same moment, and give each its own results", async () => {
    const { ids, page_id } = await aPage(3);
    const { database, calls } = countCalls(env.DB);
    const db = sharedWrites(database);
    const announced: string[][] = [];
    onPagesChanged(db, (pageIds) => announced.push(pageIds));
    const results = await Promise.all(
      ids.map((id, n) =>
        runBatch(db, [
          rename(db, id, `Renamed ${n}`),
          bumpPageVersion(db, page_id, 1),
          db.select({ name: monitors.name }).from(monitors).where(eq(monitors.id, id)),
        ]),
      ),
    );
    expect(results.map((result) => [result.length, result[2]])).toEqual(
      ids.map((_id, n) => [3, [{ name: `Renamed ${n}` }]]),
    );
    expect([calls(), announced]).toEqual([1, [[page_id]]]);
    expect(await runBatch(db, [])).toEqual([]);
  });

  it("are made one by one where the database refuses one of them, which alone fails, whole", async () => {
    const { ids } = await aPage(3);
    const [first = "", second = "", third = ""] = ids;
    const db = sharedWrites(env.DB);
    const outcomes = await Promise.allSettled([
      runBatch(db, [rename(db, first, "First")]),
      runBatch(db, [rename(db, second, "Second"), failBatchWhen(db, "stale", sql`true`)]),
      runBatch(db, [rename(db, third, "Third")]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const [, refused] = outcomes;
    expect(refused?.status === "rejected" && violates(refused.reason, "guard_stale")).toBe(true);
    expect(await namesOf(ids)).toEqual(["First", "Monitor 1", "Third"]);
  });

  it("are not repeated where nobody knows whether they were made", async () => {
    const { ids } = await aPage(2);
    let transactions = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      transactions += 1;
      await env.DB.batch(statements);
      throw new Error("D1_ERROR: Network connection lost.");
    };
    const db = sharedWrites(override(env.DB, { batch }));
    const outcomes = await Promise.allSettled(ids.map((id, n) => runBatch(db, [rename(db, id, `Renamed ${n}`)])));
    expect([transactions, outcomes.map(({ status }) => status)]).toEqual([1, ["rejected", "rejected"]]);
    expect(await namesOf(ids)).toEqual(["Renamed 0", "Renamed 1"]);
  });

  it("have a limited size", async () => {
    const { ids } = await aPage(2);
    const { database, calls } = countCalls(env.DB);
    const db = sharedWrites(database);
    const many = (id: string, n: number) => Array.from({ length: 200 }, () => rename(db, id, `Renamed ${n}`));
    await Promise.all(ids.map((id, n) => runBatch(db, many(id, n))));
    expect([calls(), await namesOf(ids)]).toEqual([2, ["Renamed 0", "Renamed 1"]]);
  });
});
