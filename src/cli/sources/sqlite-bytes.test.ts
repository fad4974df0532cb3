import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { KUMA_TYPES, writeUptimeKuma } from "../../../test/support/other-tools.ts";
import { CommandFailure } from "../failure.ts";
import { readTables } from "./database.ts";
import type { ForeignFile } from "./file.ts";
import { localFile } from "./local-file.ts";
import { readSqlite } from "./sqlite-bytes.ts";
import type { Tables } from "./tables.ts";
import { importUptimeKuma } from "./uptime-kuma.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
const file = join(dir, "a.db");
afterAll(() => rmSync(dir, { recursive: true }));

function written(sql: string, pragma = ""): string {
  rmSync(file, { force: true });
  const database = new DatabaseSync(file);
  database.exec(`${pragma};${sql}`);
  database.close();
  return file;
}

const describeTable = (tables: Tables) => ({
  rows: tables.rows("t").map((record) => record.names().map((name) => [name, record.take(name)])),
  unread: tables.unread(),
});
const both = (path: string) => [
  readSqlite(readFileSync(path), "it", describeTable),
  readTables(path, "it", describeTable),
];

function inMemory(bytes: Uint8Array): ForeignFile {
  return {
    isDatabase: () => true,
    text: () => "",
    readTables: (tool, convert) => readSqlite(bytes, tool, convert),
  };
}

describe("a database in memory", () => {
  it.each([
    [
      "values of all kinds",
      "CREATE TABLE t (a, b, c, d); INSERT INTO t VALUES (1, -1.5, 'ü', x'00ff'), (0, 1, NULL, '')",
    ],
    [
      "integers of all lengths",
      "CREATE TABLE t (a); INSERT INTO t VALUES (-1), (127), (-129), (8388607), (2147483648), (-140737488355329)",
    ],
    [
      "rows by their number",
      "CREATE TABLE t (`id` integer not null primary key autoincrement, [n a] text); INSERT INTO t VALUES (7, 'x'), (9, 'y')",
    ],
    [
      "a key after the columns",
      "CREATE TABLE t (id INTEGER, b TEXT, PRIMARY KEY (\"id\")); INSERT INTO t VALUES (5, 'x')",
    ],
    [
      "columns that came later",
      "CREATE TABLE t (a); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'x'; INSERT INTO t VALUES (2, 'y')",
    ],
    [
      "columns that are computed",
      "CREATE TABLE t (a, b AS (a + 1), c AS (a + 2) STORED, d); INSERT INTO t (a, d) VALUES (1, 4)",
    ],
    [
      "defaults, checks and comments",
      "CREATE TABLE t (a DATETIME DEFAULT (DATETIME('now')) /* , z */, b VARCHAR(3) NOT NULL DEFAULT 'a,b' CHECK (b IN ('a,b', 'c')), -- c\n d DEFAULT -1, UNIQUE (b, d)); INSERT INTO t VALUES (1, 'a,b', -1), (2, 'c', 3)",
    ],
    [
      "tables that nobody asked for",
      "CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO u VALUES (1), (2); CREATE VIEW v AS SELECT 1; CREATE INDEX i ON u (a)",
    ],
    ["no table of the name", "CREATE TABLE u (a)"],
  ])("is read as SQLite reads it: %s", (_, sql) => {
    const [found, expected] = both(written(sql));
    expect(found).toEqual(expected);
  });

  it("is read as SQLite reads it, with pages of every size, in every encoding, with values beyond a page", () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0")),
      fc.integer({ min: 400, max: 70_000 }).map((length) => "long ".repeat(length / 5)),
      fc.constant(null),
    );
    const pragma = fc.tuple(fc.constantFrom(512, 1024, 4096, 65_536), fc.constantFrom("UTF-8", "UTF-16le", "UTF-16be"));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 60 }), pragma, (rows, [size, encoding]) => {
        written("CREATE TABLE t (a, b)", `PRAGMA page_size = ${size}; PRAGMA encoding = '${encoding}'`);
        const database = new DatabaseSync(file);
        const insert = database.prepare("INSERT INTO t VALUES (?, ?)");
        for (const row of rows) insert.run(...row);
        database.close();
        const [found, expected] = both(file);
        expect(found).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("moves in as the same file does by the command line", () => {
    writeUptimeKuma(file, "2.x", { monitors: KUMA_TYPES });
    expect(importUptimeKuma(inMemory(readFileSync(file)))).toEqual(importUptimeKuma(localFile(file)));
  });

  it("ends with a sentence where bytes of it are others, and never goes on without end", () => {
    writeUptimeKuma(file, "2.x");
    const whole = readFileSync(file);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), fc.nat(whole.length), (changes, cut) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        for (const each of [bytes, bytes.subarray(0, cut)]) {
          try {
            importUptimeKuma(inMemory(each));
          } catch (error) {
            expect(error).toBeInstanceOf(CommandFailure);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is refused where it holds more than anybody keeps", () => {
    const sql =
      "CREATE TABLE monitor (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)";
    const bytes = readFileSync(written(`${sql} INSERT INTO monitor SELECT i FROM n`));
    expect(() => importUptimeKuma(inMemory(bytes))).toThrow("more than 20000 rows");
  });
});
