import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const sources = ["src", "scripts", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, lines: readFileSync(path, "utf8").split("\n") })),
);

/** Where a pattern occurs, as `path:line`. */
function placesOf(pattern: RegExp): string[] {
  return sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

describe("sources", () => {
  // The compiler does not look for surplus properties in a spread, so a misspelt one would go unseen.
  it("spread no object literal into another one", () => {
    expect(placesOf(/\.{3}[{]/)).toEqual([]);
  });
});

/** Words that leave open who or what is meant; the names of things between backticks may be any. */
const VAGUE = /\b(?:whoever|whomever|whatever|tells|told)\b/i;
const COMMENT = /^\s*(?:\/\/|\/?\*).*|[^:"'`]\/\/ .*/;
const TITLE = /(?:\b(?:it|describe)(?:\.\w+)*(?:\(.*\))?\(|^\s*\]\)\()["'`].*/;

describe("comments and the titles of tests", () => {
  it.each([
    ["comments", COMMENT],
    ["titles", TITLE],
  ])("name who or what they mean: %s", (_name, place) => {
    const vague = sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const [text = ""] = place.exec(line) ?? [];
        return VAGUE.test(text.replaceAll(/`[^`]*`/g, "")) ? [`${path}:${index + 1}: ${text.trim()}`] : [];
      }),
    );
    expect(vague).toEqual([]);
  });
});

describe("migrations", () => {
  // drizzle-kit compares tables with the newest snapshot alone; each one is as long as the whole schema.
  it("keep only the newest snapshot", () => {
    expect(readdirSync("migrations/meta").filter((name) => name.endsWith("_snapshot.json"))).toHaveLength(1);
  });
});
