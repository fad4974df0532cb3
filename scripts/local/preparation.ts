import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleWorker } from "./bundle.ts";
import { Refusal } from "./command-error.ts";
import type { WorkerConfig } from "./config.ts";
import { IS_PACKAGED, PACKAGED, PROGRAM_SUFFIX, PROJECT_ROOT } from "./paths.ts";
import type { StateDir } from "./settings.ts";

/** Everything that the bundle, the configuration and the schema are made of. */
const SOURCES = ["src", "migrations", "scripts", "wrangler.toml", ".dev.vars", "node_modules/.package-lock.json"];

/**
 * Bundles the Worker, unless a package brought the bundle, and migrates the database, before the Worker exists: its overdue
 * alarms fire at once and must find their tables. Skips both when nothing changed since the last time; otherwise
 * `beforeUpgrade` runs first on the state of the earlier release.
 */
export async function prepareState(
  stateDir: StateDir,
  stopping: AbortSignal,
  beforeUpgrade: () => Promise<void>,
): Promise<WorkerConfig> {
  const digest = IS_PACKAGED ? digestOfPackage() : digestOf(SOURCES);
  const hasDatabase = existsSync(join(stateDir.data, "d1"));
  const known = hasDatabase && existsSync(stateDir.prepared) ? readPrepared(stateDir) : undefined;
  if (known?.digest === digest) return known.config;
  if (hasDatabase && existsSync(stateDir.secrets)) await beforeUpgrade();
  const bundling = IS_PACKAGED ? undefined : bundleWorker(stateDir.build, stopping);
  const [config] = await Promise.all([migrateDatabase(stateDir, stopping), bundling]);
  // Of a checkout it lies in the build directory, which every bundling empties first: a half-made bundle is never taken
  // for a whole one.
  writeFileSync(`${stateDir.prepared}.new`, JSON.stringify({ digest, config }));
  renameSync(`${stateDir.prepared}.new`, stateDir.prepared);
  return config;
}

function readPrepared({ prepared }: StateDir): { digest: string; config: WorkerConfig } {
  return JSON.parse(readFileSync(prepared, "utf8"));
}

async function migrateDatabase(stateDir: StateDir, stopping: AbortSignal): Promise<WorkerConfig> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `migrate${PROGRAM_SUFFIX}`)], {
    env: { ...process.env, STATE_DIR: stateDir.path },
    stdio: ["pipe", "pipe", "pipe"],
    signal: stopping,
  });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const ended = Promise.all([text(child.stdout), text(child.stderr)]);
  const [output, reason] = await Promise.race([ended, failed]);
  if (output === "") throw new Refusal(reason.trim());
  return JSON.parse(output);
}

/** Every file of a package is of the same day, so their contents are compared. */
function digestOfPackage(): string {
  const digest = createHash("sha256").update(readFileSync(PACKAGED.config));
  for (const file of readdirSync(PACKAGED.migrations).sort()) digest.update(`${file}\n`);
  return digest.digest("hex");
}

function digestOf(sources: string[]): string {
  const digest = createHash("sha256");
  for (const source of sources) {
    const path = join(PROJECT_ROOT, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }).sort() : [""];
    for (const file of files) {
      const stats = statSync(join(path, file), { throwIfNoEntry: false });
      digest.update(`${join(source, file)} ${stats?.size} ${stats?.mtimeMs}\n`);
    }
  }
  return digest.digest("hex");
}
