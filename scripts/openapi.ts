/**
 * Writes the OpenAPI document of all endpoints among the static assets, and the reference for people that is made from it.
 * Both are the same for every deployment, and what makes the first is a fiftieth of the Worker's size.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { ReferenceFile } from "../src/ui/api-reference.tsx";

const ROOT = resolve(import.meta.dirname, "..");
const TARGET = join(ROOT, "node_modules/.assets");

const PROGRAM = `
import { ENDPOINTS } from "./src/app.ts";
import { describeApi } from "./src/http/openapi.ts";
import { renderReference } from "./src/ui/api-reference.tsx";
export const text = JSON.stringify(describeApi(ENDPOINTS));
export const reference = renderReference(JSON.parse(text));
`;

/** Handlers import modules that only the Workers runtime has; describing them runs none. */
const noRuntime: Plugin = {
  name: "no-runtime",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    onLoad({ filter: /./, namespace: "runtime" }, () => ({ contents: "module.exports = {};" }));
  },
};

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  stdin: { contents: PROGRAM, resolveDir: ROOT, loader: "ts" },
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  alias: { zod: join(ROOT, "src/lib/zod.ts") },
  plugins: [noRuntime],
  // Packages for CommonJS call `require` for Node's own modules.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  logLevel: "warning",
});
const [program] = outputFiles;
if (!program) throw new Error("the API could not be bundled");

const dir = mkdtempSync(join(tmpdir(), "vigil-openapi-"));
try {
  const file = join(dir, "program.mjs");
  writeFileSync(file, program.contents);
  const { text, reference }: { text: string; reference: ReferenceFile[] } = await import(pathToFileURL(file).href);
  mkdirSync(join(TARGET, "reference"), { recursive: true });
  // The suffix keeps the platform from answering for these files by rules of its own.
  for (const page of reference) writeWhole(join("reference", `${page.name}.txt`), page.text);
  // What is newer than this file makes all of them again.
  writeWhole("openapi.json", text);
} finally {
  rmSync(dir, { recursive: true });
}

/** Several programs may be at it, and a reader finds a whole document. */
function writeWhole(name: string, text: string): void {
  const temporary = join(TARGET, `.openapi.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(TARGET, name));
}
