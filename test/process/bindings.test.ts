import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ROOT, runNpm, temporaryDir } from "./support.ts";

/** Each binding with its type; a developer's own variables are strings, and the path of the Worker's file is relative. */
function bindingsIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => /^\t[A-Z0-9_]+: (?!string;)/.test(line));
  return lines.map((line) => line.replace(/import\("[^"]*\/worker"\)/, "worker"));
}

it("types every binding as wrangler.toml declares it", async () => {
  const path = join(temporaryDir(), "bindings.d.ts");
  const { code } = await runNpm(["exec", "--", "wrangler", "types", "--include-runtime=false", path]);
  expect(code).toBe(0);
  const declared = bindingsIn(readFileSync(path, "utf8"));
  expect(declared.length).toBeGreaterThan(20);
  expect(bindingsIn(readFileSync(join(PROJECT_ROOT, "src/bindings.d.ts"), "utf8"))).toEqual(declared);
});
