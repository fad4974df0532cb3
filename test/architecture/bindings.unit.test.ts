import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]).sort();

it("declares in Env exactly the bindings that wrangler.toml makes, the optional ones included", () => {
  const toml = readFileSync("wrangler.toml", "utf8");
  const env = readFileSync("src/platform/env.ts", "utf8");
  const bound = matches(toml, /(?:\bbinding|^(?:# )?name|\{ name) = "([A-Z][A-Z0-9_]*)"/gm);
  expect(matches(env, /^ {2}([A-Z][A-Z0-9_]*)\??:/gm)).toEqual(bound);
});
