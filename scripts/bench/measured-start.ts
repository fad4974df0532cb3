import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { stateDirOf } from "../local/settings.ts";
import { startBare } from "./bare.ts";
import type { Measure } from "./measures.ts";
import { RUNTIME, sumBelow } from "./processes.ts";
import type { Rig } from "./rig.ts";
import { cpuSecondsOfProcess, readGreeting } from "./service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** What `npm start` runs. */
const START: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts.start;
const IDLE_MS = 3_000;
const IDLE_BYTES_MAX = 250_000_000;
const BUNDLE_BYTES_MAX = 650 * 1024;

/** `npm start` where nothing has changed since the last time. */
export async function measureStart({ bare }: Rig): Promise<Measure[]> {
  const stateDir = mkdtempSync(join(tmpdir(), "vigil-bench-"));
  process.once("exit", () => rmSync(stateDir, { recursive: true, force: true }));
  await stop((await start(stateDir)).child);
  const latest = { idle: Number.NaN, cpu: Number.NaN, bareCpu: Number.NaN };
  return [
    {
      ...{ name: "start, nothing changed", unit: "ms", baseline: "start of a bare Worker" },
      async round() {
        const [from, cpu] = [performance.now(), bare.cpuSeconds()];
        const started = await startBare();
        await (await fetch(`${started.url}/bytes/1`)).text();
        // Both are processes of this one.
        latest.bareCpu = 1000 * (started.cpuSeconds() - cpu);
        await started[Symbol.asyncDispose]();
        const baseline = performance.now() - from;
        const { child, readyMs } = await start(stateDir);
        const root = child.pid ?? 0;
        latest.cpu = 1000 * sumBelow(root, ({ name, pid }) => (name === RUNTIME ? cpuSecondsOfProcess(pid) : 0));
        await sleep(IDLE_MS);
        latest.idle = sumBelow(root, ({ bytes }) => bytes);
        await stop(child);
        return { value: readyMs, baseline };
      },
    },
    {
      ...{ name: "start of the runtime", unit: "CPU ms", baseline: "bare Worker" },
      round: async () => ({ value: latest.cpu, baseline: latest.bareCpu }),
    },
    {
      ...{ name: "memory when idle, all processes", unit: "MB", baseline: "limit" },
      round: async () => ({ value: latest.idle / 1e6, baseline: IDLE_BYTES_MAX / 1e6 }),
    },
    {
      ...{ name: "Worker", unit: "kB gzip", baseline: "limit" },
      async round() {
        const script = readFileSync(join(stateDirOf({ STATE_DIR: stateDir }).build, "worker.js"));
        return { value: gzipSync(script).length / 1000, baseline: BUNDLE_BYTES_MAX / 1000 };
      },
    },
  ];
}

async function start(stateDir: string): Promise<{ child: ChildProcess; readyMs: number }> {
  const env = { ...process.env, PORT: "0", STATE_DIR: stateDir, LOG_LEVEL: "warn" };
  const from = performance.now();
  // Without npm itself, whose 70 MB are those of any script that it runs.
  const child = spawn("sh", ["-c", START], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  await readGreeting(child);
  return { child, readyMs: performance.now() - from };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
