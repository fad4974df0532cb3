import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { compileService } from "../../scripts/local/compile-service.ts";
import { readWorkerConfig } from "../../scripts/local/config.ts";
import { applyMigrations } from "../../scripts/local/migrations.ts";
import { openDatabase } from "../../scripts/local/open-database.ts";
import { startRuntime } from "../../scripts/local/runtime.ts";
import { newControlSecret } from "../../scripts/local/runtime-control.ts";
import { loadSecrets } from "../../scripts/local/secrets.ts";
import { createStateDir, stateDirOf } from "../../scripts/local/settings.ts";

const RELEASES = join(import.meta.dirname, "../releases");

/** As `npm run keep-release` left it. */
export const PREVIOUS: { version: string; migrations: string[] } = JSON.parse(
  readFileSync(join(RELEASES, "previous.json"), "utf8"),
);

/** The classes that the code exports; bindings of others are newer than it. */
function exportedBy(code: string, className: string): boolean {
  return new RegExp(`\\bas ${className}\\b|class ${className}\\b|[{,]\\s*${className}\\s*[,}]`).test(code);
}

/** The Worker of the previous release on a state directory, with any schema. */
export async function runPreviousRelease(dir: string, settings: Record<string, string> = {}) {
  const stateDir = stateDirOf({ STATE_DIR: dir });
  createStateDir(stateDir);
  const config = readWorkerConfig();
  const code = brotliDecompressSync(readFileSync(join(RELEASES, "previous.js.br"))).toString("utf8");
  mkdirSync(stateDir.build, { recursive: true });
  writeFileSync(join(stateDir.build, config.bundleFile), code);
  const { durableObjects = {}, ...options } = config.options as typeof config.options & {
    durableObjects?: Record<string, string | { className: string }>;
  };
  const known = Object.entries(durableObjects).filter(([, object]) =>
    exportedBy(code, typeof object === "string" ? object : object.className),
  );
  const service = await compileService({
    config: { ...config, options: { ...options, durableObjects: Object.fromEntries(known) } as typeof config.options },
    stateDir,
    controlSecret: newControlSecret(),
    bindings: { ...loadSecrets(stateDir), RATE_LIMITS: "all=off", LOG_LEVEL: "warn", ...settings },
  });
  writeFileSync(stateDir.runtimeConfig, service);
  const runtime = await startRuntime({
    configFile: stateDir.runtimeConfig,
    address: { host: "127.0.0.1", port: 0 },
    print: ({ message }) => console.log(message),
  });
  return { url: `http://127.0.0.1:${runtime.port}`, stop: () => runtime[Symbol.asyncDispose]() };
}

/** The schema of the previous release, and nothing newer. */
export async function migrateToPreviousRelease(dir: string, migrationsDir: string): Promise<void> {
  const stateDir = stateDirOf({ STATE_DIR: dir });
  createStateDir(stateDir);
  await using database = await openDatabase(stateDir, readWorkerConfig());
  await applyMigrations(database.execute, migrationsDir);
}
