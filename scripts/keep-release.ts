/**
 * `npm run keep-release`: keeps the Worker of this release in `test/releases`, so that the tests of the next one can run it
 * on the next schema, and the next one on what it wrote. A step of the release checklist in CONTRIBUTING.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { bundleWorker } from "./local/bundle.ts";
import { runCommand } from "./local/command-error.ts";
import { PROJECT_ROOT } from "./local/paths.ts";

const RELEASES = join(PROJECT_ROOT, "test/releases");

await runCommand(async () => {
  const dir = mkdtempSync(join(tmpdir(), "vigil-release-"));
  try {
    await bundleWorker(dir, new AbortController().signal);
    const code = readFileSync(join(dir, "worker.js"));
    const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"));
    const migrations = readdirSync(join(PROJECT_ROOT, "migrations")).filter((file) => file.endsWith(".sql"));
    const release = { version, migrations: migrations.sort() };
    writeFileSync(join(RELEASES, "previous.js.br"), brotliCompressSync(code));
    writeFileSync(join(RELEASES, "previous.json"), `${JSON.stringify(release, null, 2)}\n`);
    console.log(`${version}: kept in test/releases`);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
