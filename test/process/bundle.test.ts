import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundleWorker } from "../../scripts/local/bundle.ts";
import { temporaryDir } from "./support.ts";

/** Every cold start reads all of it. */
const GZIP_BYTES_MAX = 650_000;

it("keeps the Worker small", async () => {
  const dir = join(temporaryDir(), "bundle");
  await bundleWorker(dir, new AbortController().signal);
  expect(gzipSync(readFileSync(join(dir, "worker.js"))).length).toBeLessThanOrEqual(GZIP_BYTES_MAX);
});
