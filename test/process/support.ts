import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, inject } from "vitest";
import { controlOf } from "../../scripts/local/control.ts";
import type { Execute } from "../../scripts/local/database.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";

export const PROJECT_ROOT = resolve(import.meta.dirname, "../..");

/** For hooks that call startService: two seconds on an idle machine, many times that beside other test runs. */
export const START_TIMEOUT_MS = 120_000;

/** Everything else is left out, above all what npm and vitest set: commands run as a person's shell would run them. */
const INHERITED = /^(HOME|USER|LANG|TMPDIR|.*_proxy|NODE_EXTRA_CA_CERTS|npm_config_(cache|registry))$/i;
const OWN_TOOLS = /node_modules\/\.bin/;

const temporaryDirs: string[] = [];

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "vigil-"));
  temporaryDirs.push(dir);
  return dir;
}

// A clone with its packages is twenty thousand files.
afterAll(async () => {
  killAll();
  for (const dir of temporaryDirs.splice(0)) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}, START_TIMEOUT_MS);
process.once("exit", killAll);

function killAll(): void {
  for (const dir of temporaryDirs) killEach(processesOf(dir));
}

function killEach(pids: number[]): void {
  for (const pid of pids) kill(pid, "SIGKILL");
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Ids of the living processes whose environment names a state directory at or under `dir`: npm, shells, node, runtimes, guards. */
export function processesOf(dir: string, commandLine = /./): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const isOurs = `\0${readFileSync(`/proc/${name}/environ`, "utf8")}`.includes(`\0STATE_DIR=${dir}`);
      return isOurs && commandLine.test(readFileSync(`/proc/${name}/cmdline`, "utf8")) ? [Number(name)] : [];
    } catch {
      return []; // It ended while we looked, or it is someone else's.
    }
  });
}

/** Gives the processes of a state directory a moment to end; the answer lists those that stayed. */
export async function leftoversOf(stateDir: string): Promise<number[]> {
  for (let attempt = 0; attempt < 300 && processesOf(stateDir).length > 0; attempt++) await sleep(100);
  return processesOf(stateDir);
}

interface Command {
  env?: Record<string, string>;
  cwd?: string;
  /** Arguments of `npm start`. */
  args?: string[];
}

interface Start extends Command {
  /** It bundles and migrates itself, as the first start on a machine does. */
  isFirst?: boolean;
}

export function spawnNpm(args: string[], { env = {}, cwd = PROJECT_ROOT }: Command = {}): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  const path = (process.env.PATH ?? "").split(":").filter((dir) => !OWN_TOOLS.test(dir));
  // A STATE_DIR in all of them is how killAll finds what a failed test leaves behind.
  const full = {
    ...Object.fromEntries(inherited),
    PATH: path.join(":"),
    STATE_DIR: temporaryDirs.at(0) ?? temporaryDir(),
    ...env,
  };
  return spawn("npm", args, { cwd, env: full, detached: true, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs an npm command to its end. */
export async function runNpm(args: string[], command: Command = {}) {
  const child = spawnNpm(args, command);
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (output.stderr += text));
  const [code] = await once(child, "close");
  return { code: code as number | null, ...output };
}

export interface Service {
  url: string;
  /** Printed only by the first start on a state directory. */
  token: string | undefined;
  stateDir: string;
  logs(): string;
  /** Reads and writes the database of the running service. */
  execute: Execute;
  /** kill -9 of the service's own process alone. */
  kill(): Promise<void>;
  /** kill -9 of npm, its shell and the service at once. */
  killGroup(): Promise<void>;
  /** SIGTERM to npm, as a supervisor would. */
  stop(): Promise<void>;
}

/** `npm start` until it says that it is ready, in a new state directory and on a free port unless `env` names them. */
export async function startService({
  env = {},
  cwd,
  args = [],
  isFirst = cwd !== undefined,
}: Start = {}): Promise<Service> {
  const stateDir = env.STATE_DIR ?? temporaryDir();
  const isNew = !existsSync(stateDir) || readdirSync(stateDir).length === 0;
  if (isNew && !isFirst) cpSync(inject("prepared"), stateDir, { recursive: true });
  const npm = spawnNpm(["start", ...(args.length > 0 ? ["--", ...args] : [])], {
    env: { PORT: "0", ...env, STATE_DIR: stateDir },
    ...(cwd && { cwd }),
  });
  let logs = "";
  npm.stdout?.setEncoding("utf8").on("data", (text) => (logs += text));
  npm.stderr?.setEncoding("utf8").on("data", (text) => (logs += text));
  const ended = once(npm, "close");
  const end = async (kill: () => void) => {
    kill();
    await ended;
  };
  const { pid } = npm;
  if (pid === undefined) throw new Error("npm could not be started");
  const url = await readyUrl(() => logs, ended);
  return {
    url,
    token: /sk_svc_\w+/.exec(logs)?.[0],
    stateDir,
    logs: () => logs,
    execute: controlOf(stateDirOf({ STATE_DIR: stateDir })),
    kill: () => end(() => killEach(processesOf(stateDir, /^node\0.*scripts\/start\.ts/))),
    killGroup: () => end(() => kill(-pid, "SIGKILL")),
    stop: () => end(() => kill(pid, "SIGTERM")),
  };
}

async function readyUrl(logs: () => string, ended: Promise<unknown>): Promise<string> {
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  while (isRunning) {
    const url = /^ready (http\S+)$/m.exec(logs())?.[1];
    if (url) return url;
    await sleep(50);
  }
  throw new Error(`npm start ended before it was ready:\n${logs()}`);
}
