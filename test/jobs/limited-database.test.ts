import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { limitDatabase } from "../support/limited-database.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const select = (database: D1Database, parameters: readonly unknown[]) =>
  database.prepare(`SELECT ${parameters.map(() => "?").join(" + ")} AS total`).bind(...parameters);

describe("the database of the tests of limits", () => {
  it("takes a hundred parameters and throws at one more", async () => {
    const { database } = limitDatabase(env.DB);
    expect(await select(database, numbers(100)).first("total")).toBe(4950);
    expect(() => select(database, numbers(101))).toThrow("D1: 101 parameters");
  });

  it("runs a thousand queries, those of a batch each counting, and throws at one more", async () => {
    const { database, queries } = limitDatabase(env.DB);
    await database.batch(numbers(999).map((n) => select(database, [n])));
    expect(await openDb(database).all(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
    expect(queries).toHaveLength(1000);
    await expect(async () => select(database, [1]).all()).rejects.toThrow("more than 1000 queries");
  });

  it("throws at a value above two megabytes", () => {
    const { database } = limitDatabase(env.DB);
    expect(() => select(database, ["x".repeat(2_000_001)])).toThrow("value above");
  });
});
