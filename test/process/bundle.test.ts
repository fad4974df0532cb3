import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundleWorker } from "../../scripts/local/bundle.ts";
import { temporaryDir } from "./support.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Every cold start reads all of it. */
const GZIP_BYTES_MAX = 650_000;

/** All scripts that any view of the dashboard loads. */
const SCRIPT_BYTES_MAX = 40_000;

it("keeps the scripts of the dashboard below 40 kB", () => {
  const folder = join(ROOT, "node_modules/.assets/dashboard");
  const manifest: Record<string, string> = JSON.parse(readFileSync(join(folder, "../dashboard.json"), "utf8"));
  const scripts = Object.values(manifest).filter((address) => address.endsWith(".js"));
  const bytes = scripts.map((address) => gzipSync(readFileSync(join(folder, basename(address)))).length);
  expect(scripts.length).toBeGreaterThan(1);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
});

it("keeps the Worker small", async () => {
  const dir = join(temporaryDir(), "bundle");
  await bundleWorker(dir, new AbortController().signal);
  expect(gzipSync(readFileSync(join(dir, "worker.js"))).length).toBeLessThanOrEqual(GZIP_BYTES_MAX);
});
