import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { startRuntime } from "../local/runtime.ts";
import { stateDirOf } from "../local/settings.ts";
import { startBare } from "./bare.ts";
import type { Measure } from "./measures.ts";
import { RUNTIME, sumBelow } from "./processes.ts";
import type { Rig } from "./rig.ts";
import { API, beat, cpuSecondsOf, cpuSecondsOfProcess, createHeartbeat, readGreeting, send } from "./service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** What `npm start` runs. */
const START: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts.start;
const IDLE_MS = 3_000;
/** What a runtime does after it listens, and after it has answered. */
const SETTLES_MS = 300;
const IDLE_BYTES_MAX = 250_000_000;
const BUNDLE_BYTES_MAX = 650 * 1024;

/** `npm start` where nothing has changed since the last time, and what the first requests of an isolate wait for. */
export async function measureStart({ bare }: Rig): Promise<Measure[]> {
  const stateDir = mkdtempSync(join(tmpdir(), "vigil-bench-"));
  process.once("exit", () => rmSync(stateDir, { recursive: true, force: true }));
  const { child, ...service } = await start(stateDir, 0);
  // One for all starts: a service that does not know the address that it is asked under answers by another way.
  const port = Number(new URL(service.url).port);
  const heartbeat = await createHeartbeat(service, "first");
  // The first beat of a monitor changes its status, which is more work than those of all jobs that run on.
  await beat(heartbeat.address, "ok");
  await send(service, "POST", `${API}/status-pages`, { name: "First", slug: "first", is_public: true });
  await stop(child);
  const latest = { idle: Number.NaN, cpu: Number.NaN, bareCpu: Number.NaN };
  return [
    {
      name: "start, nothing changed",
      unit: "ms",
      baseline: "start of a bare Worker",
      async round() {
        const [from, cpu] = [performance.now(), bare.cpuSeconds()];
        const started = await startBare();
        await (await fetch(`${started.url}/bytes/1`)).text();
        // Both are processes of this one.
        latest.bareCpu = 1000 * (started.cpuSeconds() - cpu);
        await started[Symbol.asyncDispose]();
        const baseline = performance.now() - from;
        const { child, readyMs } = await start(stateDir, port);
        const root = child.pid ?? 0;
        latest.cpu = 1000 * sumBelow(root, ({ name, pid }) => (name === RUNTIME ? cpuSecondsOfProcess(pid) : 0));
        await sleep(IDLE_MS);
        latest.idle = sumBelow(root, ({ bytes }) => bytes);
        await stop(child);
        return { value: readyMs, baseline };
      },
    },
    {
      name: "start of the runtime",
      unit: "CPU ms",
      baseline: "bare Worker",
      round: async () => ({ value: latest.cpu, baseline: latest.bareCpu }),
    },
    firstRequest(stateDir, "heartbeat", heartbeat.address),
    firstRequest(stateDir, "visit of a public page", `${service.url}/status/first`),
    {
      name: "memory when idle, all processes",
      unit: "MB",
      baseline: "limit",
      round: async () => ({ value: latest.idle / 1e6, baseline: IDLE_BYTES_MAX / 1e6 }),
    },
    {
      name: "Worker",
      unit: "kB gzip",
      baseline: "limit",
      async round() {
        const script = readFileSync(join(stateDirOf({ STATE_DIR: stateDir }).build, "worker.js"));
        return { value: gzipSync(script).length / 1000, baseline: BUNDLE_BYTES_MAX / 1000 };
      },
    },
  ];
}

/** By a runtime of its own, which has answered nothing before. */
function firstRequest(stateDir: string, name: string, address: string): Measure {
  const { runtimeConfig: configFile } = stateDirOf({ STATE_DIR: stateDir });
  return {
    name: `first ${name} of an isolate`,
    unit: "CPU ms",
    baseline: "start of its runtime",
    async round() {
      const cpuMs = () => 1000 * cpuSecondsOf(process.pid);
      const before = cpuMs();
      await using runtime = await startRuntime({ configFile, address: { host: "127.0.0.1", port: 0 }, print() {} });
      await sleep(SETTLES_MS);
      const started = cpuMs();
      await ask(runtime.port, new URL(address));
      await sleep(SETTLES_MS);
      return { value: cpuMs() - started, baseline: started - before };
    },
  };
}

/** Under the address that the service knows as its own. */
async function ask(port: number, { host, pathname, search }: URL): Promise<void> {
  const asked = request({ port, host: "127.0.0.1", path: pathname + search, headers: { host } }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`${pathname} answered ${response.statusCode}`);
}

async function start(
  stateDir: string,
  port: number,
): Promise<{ child: ChildProcess; readyMs: number; url: string; token: string }> {
  const env = { ...process.env, PORT: String(port), STATE_DIR: stateDir, LOG_LEVEL: "warn" };
  const from = performance.now();
  // Without npm itself, whose 70 MB are those of any script that it runs.
  const child = spawn("sh", ["-c", START], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const greeting = await readGreeting(child);
  return { child, readyMs: performance.now() - from, ...greeting };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
