/**
 * Writes the OpenAPI document of all endpoints among the static assets. It is the same for every deployment, and what
 * makes it is a fiftieth of the Worker's size.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
const TARGET = join(ROOT, "node_modules/.assets");

const PROGRAM = `
import { ENDPOINTS } from "./src/app.ts";
import { describeApi } from "./src/http/openapi.ts";
export const text = JSON.stringify(describeApi(ENDPOINTS));
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
  const { text }: { text: string } = await import(pathToFileURL(file).href);
  mkdirSync(TARGET, { recursive: true });
  // Several programs may be at it, and a reader finds a whole document.
  const temporary = join(TARGET, `.openapi.json.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(TARGET, "openapi.json"));
} finally {
  rmSync(dir, { recursive: true });
}
