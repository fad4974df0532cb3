/**
 * Splits the Worker into what its start evaluates and what waits for the first request, batch or minute. Wrangler runs it
 * and bundles the result, with all packages, into one file; of single modules each would have to be wrapped to wait, which
 * adds 28 of the 1,000 kB that it may have.
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

mkdirSync(TARGET, { recursive: true });
// Several programs may be at it: equal sources make equal names, each file is whole at any time, and the entry comes last.
const isEntry = ({ path }: { path: string }) => Number(basename(path) === "entry.js");
for (const { path, text } of outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b))) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
const current = new Set(outputFiles.map(({ path }) => basename(path)));
for (const file of readdirSync(TARGET)) {
  if (/\.js(\.map)?$/.test(file) && !current.has(file)) rmSync(join(TARGET, file), { force: true });
}
