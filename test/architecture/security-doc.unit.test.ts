import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(ROOT, "docs/security.md"), "utf8");

/** The cells of the table under a heading. */
function rowsOf(heading: string): string[][] {
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

/** The file and title of a test, as the argument of it(…), not in a comment or a string of another test. */
function expectTest(cell = ""): void {
  const [, file = "", title = ""] = /^`((?:test|src)\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(cell) ?? [];
  expect(readFileSync(join(ROOT, file), "utf8")).toMatch(titlePattern(title));
}

describe("docs/security.md", () => {
  it("has attacks to defend against", () => {
    expect(rowsOf("Attacks and defences").length).toBeGreaterThanOrEqual(14);
  });

  it.each(rowsOf("Attacks and defences"))("defends against: %s", (_attack, defence, test) => {
    expect(defence).toBeTruthy();
    expectTest(test);
  });

  it.each(rowsOf("Lists of OWASP"))("answers: %s", (item, how, test) => {
    // The head of each further list.
    if (item === "Item" || item === "---") return;
    expect(how).toBeTruthy();
    expectTest(test);
  });

  it.each(rowsOf("Files and records of others"))("withstood: %s", (_tried, reason, test) => {
    expect(reason).toBeTruthy();
    expectTest(test);
  });
});

describe("what outlives a request", () => {
  const rows = rowsOf("What outlives a request");
  const named = rows.map(([, stored = ""]) => stored.replaceAll("`", ""));

  it.each(rows)("%s is made by somebody and ends at some time, as a test shows", (_kind, _stored, by, end, test) => {
    expect([by, end].every(Boolean)).toBe(true);
    expectTest(test);
  });

  it("has a row for every table with a credential or secret, and names no table that is not there", async () => {
    const tables = await listTables();
    const isSecret = (column: string) =>
      !NO_SECRETS.includes(column) && /hash|sealed|token|secret|password|proof|credential/.test(column);
    const holding = tables.filter(({ columns }) => columns.some(isSecret)).map(({ name }) => name);
    expect(holding.filter((name) => !named.includes(name))).toEqual([]);
    const names = tables.map(({ name }) => name);
    expect(named.filter((each) => !each.includes(" ") && !names.includes(each))).toEqual([]);
  });

  it("names each kind as the table of what ends it does", () => {
    const kinds = rows.map(([kind]) => kind);
    const ended = rowsOf("What ends what").slice(1);
    expect(ended.filter(([kind]) => !kinds.includes(kind ?? ""))).toEqual([]);
    expect(ended.length).toBeGreaterThan(20);
  });

  it("has a row for every purpose of which the service makes proofs", () => {
    const folder = join(ROOT, "src/platform");
    const sources = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const purposes = sources.flatMap((file) => {
      const source = readFileSync(join(folder, file), "utf8");
      return Array.from(source.matchAll(/return \{ purpose: "([^"]+)"/g), ([, purpose = ""]) => purpose);
    });
    const attempt = readFileSync(join(ROOT, "src/features/sign-in/attempt.ts"), "utf8");
    purposes.push(...Array.from(attempt.matchAll(/ seal\([\w.]+, "([^"]+)"/g), ([, purpose = ""]) => purpose));
    expect(purposes.length).toBeGreaterThan(6);
    expect(named.filter((each) => each.includes(" ")).sort()).toEqual([...new Set(purposes)].sort());
  });
});

/** Columns with such a name that hold none. */
const NO_SECRETS = ["has_secret"];

async function listTables(): Promise<{ name: string; columns: string[] }[]> {
  const folder = join(ROOT, "src/data");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("table.ts"));
  const modules = await Promise.all(files.map((file) => import(join(folder, file))));
  const tables = modules.flatMap((each) => Object.values(each).filter((value) => is(value, SQLiteTable)));
  return tables.map((table) => ({
    name: getTableName(table),
    columns: Object.values(getTableColumns(table)).map((column) => column.name),
  }));
}

/** Titles of tables stand on a line of their own after the rows. */
function titlePattern(title: string): RegExp {
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:\\bit\\(|\\]\\)\\(|\\)\\()\\s*"${words}"`);
}
