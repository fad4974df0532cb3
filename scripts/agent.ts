/**
 * Bundles the private agent into one file for Node 20 and newer, beside a manifest with its version and checksum and the
 * script that installs it, among the static assets. Where AGENT_SIGNING_KEY names the PEM file of an Ed25519 private key, its signature lies there too.
 */
import { createHash, createPrivateKey, sign } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import packageJson from "../package.json" with { type: "json" };

const ROOT = resolve(import.meta.dirname, "..");
const TARGET = join(ROOT, "node_modules/.assets");
const PROGRAM = "vigil-agent.mjs";

/** Packages for CommonJS call `require` for Node's own modules. */
const BANNER = [
  "#!/usr/bin/env node",
  'import { createRequire as __createRequire } from "node:module";',
  "const require = __createRequire(import.meta.url);",
].join("\n");

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: ["src/agent/main.ts"],
  bundle: true,
  write: false,
  platform: "node",
  target: "node20",
  format: "esm",
  minify: true,
  keepNames: true,
  alias: { zod: join(ROOT, "src/lib/zod.ts") },
  legalComments: "none",
  banner: { js: BANNER },
  // Optional parts of packages, which they do without.
  external: ["bufferutil", "utf-8-validate", "cpu-features"],
  logLevel: "warning",
});
const [program] = outputFiles;
if (!program) throw new Error("the agent could not be bundled");
mkdirSync(TARGET, { recursive: true });
replace(PROGRAM, program.contents);
const keyFile = process.env.AGENT_SIGNING_KEY;
if (keyFile) {
  const signature = sign(null, program.contents, createPrivateKey(readFileSync(keyFile)));
  replace(`${PROGRAM}.sig`, Buffer.from(`${signature.toString("base64")}\n`));
} else if (existsSync(join(TARGET, `${PROGRAM}.sig`))) {
  rmSync(join(TARGET, `${PROGRAM}.sig`));
}
replace("vigil-agent-install.txt", readFileSync(join(ROOT, "src/agent/install.sh")));
const sha256 = createHash("sha256").update(program.contents).digest("hex");
// Last, because setup.sh compares its age with the sources'.
replace("vigil-agent.json", Buffer.from(JSON.stringify({ version: packageJson.version, sha256 })));

function replace(name: string, content: Uint8Array): void {
  const temporary = join(TARGET, `.${name}.${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, join(TARGET, name));
}
