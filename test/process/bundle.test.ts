import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { bundleWorker } from "../../scripts/local/bundle.ts";
import { temporaryDir } from "./support.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Every cold start reads all of it; the smallest plan of the platform takes three times as much. */
const GZIP_BYTES_MAX = 1_000_000;

/** All scripts that any view of the dashboard loads, but for the importers, which one view loads. */
const SCRIPT_BYTES_MAX = 40_000;
const MOVE_SCRIPT_BYTES_MAX = 200_000;

it("keeps the scripts of the dashboard below 40 kB, and the importers below 200 kB", () => {
  const folder = join(ROOT, "node_modules/.assets/assets/dashboard");
  const manifest: Record<string, Record<string, string>> = JSON.parse(
    readFileSync(join(folder, "../../dashboard.json"), "utf8"),
  );
  const { move_script = "", ...others } = manifest.en ?? {};
  const sizeOf = (address: string) => gzipSync(readFileSync(join(folder, basename(address)))).length;
  const sizes = Object.values(others).flatMap((address) => (address.endsWith(".js") ? [sizeOf(address)] : []));
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  expect(sizeOf(move_script)).toBeLessThanOrEqual(MOVE_SCRIPT_BYTES_MAX);
});

/** All that a start evaluates of the routes and what they share. */
const OF_PLAIN_HEARTBEATS = [
  "hono/http-exception",
  "src/features/plain-heartbeats/routes.ts",
  "src/features/push/accept.ts",
  "src/features/push/present-beat.ts",
  "src/http/direct-answer.ts",
  "src/http/errors.ts",
  "src/http/recorded-response.ts",
  "src/http/response-headers.ts",
  "src/http/security-headers.ts",
];

/** Modules and packages that are evaluated with a part: its own, and those of all parts that it imports at once. */
function evaluatedWith(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(join(ROOT, "dist", file), "utf8");
  const modules = [...text.matchAll(/^\/\/ (src\/\S+)$/gm)].map(([, module]) => module ?? "");
  const imports = [...text.matchAll(/^import\s(?:[^;"]*?from\s+)?"([^"]+)"/gm)].map(([, name]) => name ?? "");
  return [
    ...modules,
    ...imports.flatMap((name) => (name.startsWith("./") ? evaluatedWith(basename(name), seen) : [name])),
  ];
}

const dir = join(temporaryDir(), "bundle");
beforeAll(() => bundleWorker(dir, new AbortController().signal));

it("starts the Worker without what only batches, the minute and other requests than plain heartbeats need", async () => {
  const evaluated = evaluatedWith("entry.js");
  expect(evaluated).toContain("src/durable-objects/monitor.ts");
  const later = /^(src\/(app\.|dashboard|features|http|jobs|mail|report|ui)|hono|@hono|marked|yaml)/;
  expect(evaluated.filter((name) => later.test(name)).sort()).toEqual(OF_PLAIN_HEARTBEATS);
});

it("reads of all routes only those of public pages for the first visitor of an isolate", async () => {
  const evaluated = readdirSync(join(ROOT, "dist")).flatMap((file) =>
    /^public-app-\w+\.js$/.test(file) ? evaluatedWith(file) : [],
  );
  expect(evaluated).toContain("src/status-page/routes.ts");
  const others = /^(src\/(app\.|dashboard|features\/(?!latency|metric-widgets)|jobs|mail|report)|yaml)/;
  const shared = new Set(OF_PLAIN_HEARTBEATS);
  expect(evaluated.filter((name) => others.test(name) && !shared.has(name))).toEqual([]);
});

it("keeps the Worker small", async () => {
  expect(gzipSync(readFileSync(join(dir, "worker.js"))).length).toBeLessThanOrEqual(GZIP_BYTES_MAX);
});
