/**
 * `npm run release`: dist/release with all files of a release: the package, the command line as one file, what they are
 * made of (CycloneDX), and their checksums. --tag vX.Y.Z fails where that is not the version of package.json. It publishes
 * nothing; .github/workflows/release.yml does.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { PROJECT_ROOT } from "./local/paths.ts";

const TARGET = join(PROJECT_ROOT, "dist/release");

const { tag } = withUsage(
  "usage: npm run release -- [--tag vX.Y.Z]",
  () => parseArgs({ options: { tag: { type: "string" } } }).values,
);

function make(program: string): string {
  const output = execFileSync(process.execPath, [join(PROJECT_ROOT, "scripts", program)], { encoding: "utf8" });
  return join(PROJECT_ROOT, output.trim());
}

/**
 * Every component of the package, and those that npm installs along with it. The list is of a project without tools: with
 * --omit dev npm leaves out each component that a tool shares.
 */
function listComponents(): string {
  const dir = mkdtempSync(join(tmpdir(), "vigil-release-"));
  try {
    const { name, version, license, devDependencies } = packageJson;
    const dependencies = { ...packageJson.dependencies, miniflare: devDependencies.miniflare };
    const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, "package-lock.json"), "utf8"));
    lock.packages[""] = { name, version, license, dependencies };
    writeFileSync(join(dir, "package.json"), JSON.stringify(lock.packages[""]));
    writeFileSync(join(dir, "package-lock.json"), JSON.stringify(lock));
    const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
    return execFileSync("npm", args, { cwd: dir, encoding: "utf8", maxBuffer: 1 << 26 });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

await runCommand(async () => {
  const { name, version } = packageJson;
  if (tag !== undefined && tag !== `v${version}`) throw new Refusal(`the tag is ${tag}, package.json has ${version}`);
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  copyFileSync(make("package.ts"), join(TARGET, `${name}-${version}.tgz`));
  copyFileSync(make("cli.ts"), join(TARGET, "vigil.mjs"));
  writeFileSync(join(TARGET, `${name}-${version}.cdx.json`), listComponents());
  const lines = readdirSync(TARGET).map((file) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(TARGET, file)))
      .digest("hex");
    return `${digest}  ${file}\n`;
  });
  writeFileSync(join(TARGET, "SHA256SUMS"), lines.join(""));
  process.stdout.write(lines.join(""));
});
