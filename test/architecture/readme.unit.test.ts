import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTING_NAMES } from "../../src/platform/settings.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCS = join(ROOT, "docs");
const documents = ["README.md", ...(existsSync(DOCS) ? readdirSync(DOCS).map((file) => join("docs", file)) : [])];

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(ROOT, document), "utf8");

  it("names only files and folders that exist", () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|migrations|docs)(?:\/[\w.-]+)*)`/g)].map(
      (match) => match[1] ?? "",
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("names only npm commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

it("README.md names only settings that exist", () => {
  const text = readFileSync(join(ROOT, "README.md"), "utf8");
  const table = text.slice(text.indexOf("## Settings"), text.indexOf("## How it is built"));
  const named = [...table.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map((match) => match[1] ?? "");
  expect(named.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
});
