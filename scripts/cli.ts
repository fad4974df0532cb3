/**
 * `npm run vigil:file`: the command line as one file, `dist/vigil.mjs`, to copy to a machine that has Node and nothing else.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { PROJECT_ROOT } from "./local/paths.ts";

const FILE = join(PROJECT_ROOT, "dist/vigil.mjs");
/** Packages for CommonJS call `require` for Node's own modules. */
const BANNER = `#!/usr/bin/env node
import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`;

const { outputFiles } = await build({
  absWorkingDir: PROJECT_ROOT,
  entryPoints: ["src/cli/main.ts"],
  bundle: true,
  write: false,
  platform: "node",
  target: "node22",
  format: "esm",
  legalComments: "none",
  banner: { js: BANNER },
  logLevel: "warning",
});
const [program] = outputFiles;
if (!program) throw new Error("the command line could not be bundled");
mkdirSync(dirname(FILE), { recursive: true });
writeFileSync(FILE, program.contents);
chmodSync(FILE, 0o755);
console.log(relative(PROJECT_ROOT, FILE));
