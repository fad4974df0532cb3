/**
 * Splits the Worker into what its start evaluates and what waits for the first request, batch or minute. Wrangler runs it
 * and bundles the result, with all packages, into one file; of single modules each would have to be wrapped to wait, which
 * adds a twentieth to the Worker's size.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
const TARGET = join(ROOT, "dist");

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: ["src/entry.ts"],
  outdir: TARGET,
  bundle: true,
  splitting: true,
  write: false,
  format: "esm",
  platform: "neutral",
  packages: "external",
  target: "es2024",
  // Wrangler reads it, so that stacks name the sources.
  sourcemap: "linked",
  logLevel: "warning",
});
/** What schemas say of a property, as esbuild prints it. */
const META = /\.meta\(\{\s+description: "(?:[^"\\]|\\.)*"\s+\}\)/g;

/**
 * Nothing at run time reads what operations and properties are about: the API description is an asset. esbuild prints each
 * property of a call in a line of its own; emptied lines and blanks leave the others where the source map says.
 */
function withoutTexts(code: string): string {
  let end: string | undefined;
  const described = code.replaceAll(META, (text) => text.replaceAll(/\S/g, " "));
  const lines = described.split("\n").map((line) => {
    const [, indent] = /^( *)createRoute\d*\(\{$/.exec(line) ?? [];
    if (indent !== undefined) end = `${indent}})`;
    else if (end !== undefined && line.startsWith(end)) end = undefined;
    return end !== undefined && /^ +(?:summary|description): "(?:[^"\\]|\\.)*",?$/.test(line) ? "" : line;
  });
  return lines.join("\n");
}

mkdirSync(TARGET, { recursive: true });
// Several programs may be at it: equal sources make equal names, each file is whole at any time, and the entry comes last.
const isEntry = ({ path }: { path: string }) => Number(basename(path) === "entry.js");
for (const { path, text } of outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b))) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, withoutTexts(text));
  renameSync(temporary, path);
}
const current = new Set(outputFiles.map(({ path }) => basename(path)));
for (const file of readdirSync(TARGET)) {
  if (/\.js(\.map)?$/.test(file) && !current.has(file)) rmSync(join(TARGET, file), { force: true });
}
