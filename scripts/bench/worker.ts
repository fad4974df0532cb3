import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { compileRuntime } from "../local/compile-runtime.ts";
import { startRuntime } from "../local/runtime.ts";
import { CONTROL_WORKER, controlWorker, newControlSecret } from "../local/runtime-control.ts";

export interface WorkerUnderTest extends AsyncDisposable {
  /** Without a slash at its end. */
  url: string;
}

/** A Worker to compare with, in the same runtime and behind the same worker as the service under `npm start`. */
export async function startWorker(
  script: string,
  options: Omit<V4WorkerOptions, "modules"> = {},
): Promise<WorkerUnderTest> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-worker-"));
  const workers = [
    { compatibilityDate: "2026-08-01", ...options, name: "worker", modules: true as const, script },
    controlWorker({ secret: newControlSecret(), service: "worker" }),
  ];
  const configFile = join(dir, "runtime.bin");
  writeFileSync(configFile, await compileRuntime({ workers, resourcePersistencePath: dir }, CONTROL_WORKER));
  const runtime = await startRuntime({
    configFile,
    address: { host: "127.0.0.1", port: 0 },
    print: ({ message }) => console.error(message),
  });
  return {
    url: `http://127.0.0.1:${runtime.port}`,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
