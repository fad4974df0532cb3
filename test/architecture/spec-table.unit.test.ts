import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";

/** docs/spec-table.md says what is promised, where it is done and which test says so; here all of it is looked up. */
const ROOT = join(import.meta.dirname, "../..");
const TABLE = readFileSync(join(ROOT, "docs/spec-table.md"), "utf8");

const rows = TABLE.split("\n").filter((line) => line.startsWith("| ") && !/^\| (Statement|---)/.test(line));
const cells = rows.map((row) => row.slice(2, -2).split(" | "));

/** `a file`: what it says. */
const tests = rows.flatMap((row) =>
  [...row.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`: (.*?)(?=<br>| \|$)/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  })),
);

describe("docs/spec-table.md", () => {
  it("names a place and a test in every row", () => {
    for (const row of cells) {
      expect(row.at(-2), row[0]).toMatch(/^`src\/[^`]+`$/);
      expect(row.at(-1), row[0]).toMatch(/^`(src|test)\/.+`: ./);
    }
    expect(rows.length).toBeGreaterThan(100);
  });

  it("names only places that exist", () => {
    const places = cells.map((row) => row.at(-2)?.slice(1, -1) ?? "");
    expect(places.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
  });

  it("names only tests that exist, by their titles", () => {
    const isThere = ({ file, title }: { file: string; title: string }) => {
      if (!existsSync(join(ROOT, file))) return false;
      const source = readFileSync(join(ROOT, file), "utf8");
      return source.includes(`"${title}"`) || source.includes(JSON.stringify(title)) || source.includes(`'${title}'`);
    };
    expect(tests.filter((test) => !isThere(test))).toEqual([]);
  });

  it("has each operation once, and no other", () => {
    const operations = ENDPOINTS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const named = rows.flatMap((row) =>
      [...row.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)].map(([, operation = ""]) => operation),
    );
    expect(named.toSorted()).toEqual([...new Set(operations)].toSorted());
  });
});
