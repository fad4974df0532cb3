import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(ROOT, "docs/security.md"), "utf8");

/** Attack, defence, and the file and title of a test. */
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Attack |"))
  .map((line) => line.slice(2, -2).split(" | "));

describe("docs/security.md", () => {
  it("has attacks to defend against", () => {
    expect(rows.length).toBeGreaterThanOrEqual(14);
  });

  it.each(rows)("defends against: %s", (_attack, defence, test = "") => {
    expect(defence).toBeTruthy();
    const [, file = "", title = ""] = /^`((?:test|src)\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(test) ?? [];
    // The title as the argument of it(…), not in a comment or a string of another test.
    expect(readFileSync(join(ROOT, file), "utf8")).toMatch(titlePattern(title));
  });
});

/** Titles of tables stand on a line of their own after the rows. */
function titlePattern(title: string): RegExp {
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:\\bit\\(|\\]\\)\\(|\\)\\()\\s*"${words}"`);
}
