import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A state directory before its first start: the bundle and an empty database. */
    prepared: string;
  }
}

/** Bundles and migrates once for all services that the tests start, which takes each of them seconds of both cores. */
export default async function setup(project: TestProject) {
  const prepared = mkdtempSync(join(tmpdir(), "vigil-prepared-"));
  // The runner's own environment changes what is bundled.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, STATE_DIR: prepared };
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "prepare.ts")], { env });
  project.provide("prepared", prepared);
  return () => rmSync(prepared, { recursive: true, force: true });
}
