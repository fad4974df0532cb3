import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { GUARD_NAMES, guardConstraint, guards } from "../../src/data/write-guards/table.ts";
import { failBatchWhen } from "../../src/data/write-guards/write.ts";
import { violates } from "../../src/platform/d1-errors.ts";

const db = openDb(env.DB);

describe("guards", () => {
  it.each(GUARD_NAMES)("of %s refuse the whole batch when their condition holds, and leave no row", async (name) => {
    await runBatch(db, [failBatchWhen(db, name, sql`false`)]);
    const [outcome] = await Promise.allSettled([runBatch(db, [failBatchWhen(db, name, sql`true`)])]);
    expect(outcome?.status === "rejected" && violates(outcome.reason, guardConstraint(name))).toBe(true);
    expect(await db.select().from(guards)).toEqual([]);
  });
});
