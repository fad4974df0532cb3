import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { controlOf } from "../local/control.ts";
import type { Execute } from "../local/database.ts";
import { stateDirOf } from "../local/settings.ts";
import { RUNTIME, sumBelow } from "./processes.ts";
import { queryDatabaseBelow, usedBytesBelow } from "./stored.ts";

export const API = "/api/uptime/v1";
const ROOT = resolve(import.meta.dirname, "../..");
/** Ticks of /proc/<pid>/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const TICKS_PER_SECOND = 100;

export interface BenchService extends AsyncDisposable {
  url: string;
  token: string;
  execute: Execute;
  /** CPU seconds that the runtime has used so far. */
  cpuSeconds(): number;
  /** Memory that the runtime holds. */
  residentBytes(): number;
  /** Rows of the database as they are stored, which takes the runtime no time. */
  readStored(sql: string): Promise<Record<string, unknown>[]>;
  /** Bytes of all rows that the service keeps. */
  usedBytes(): Promise<number>;
}

/** The service as `npm start` runs it, in a directory of its own that is gone afterwards. */
export async function startBenchService(settings: Record<string, string>): Promise<BenchService> {
  const stateDir = mkdtempSync(join(tmpdir(), "vigil-bench-"));
  const env = {
    ...process.env,
    LOG_LEVEL: "warn",
    RATE_LIMITS: "all=off",
    ...settings,
    PORT: "0",
    STATE_DIR: stateDir,
  };
  const child = spawn(process.execPath, ["scripts/start.ts"], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const { url, token } = await readGreeting(child);
  return {
    url,
    token,
    execute: controlOf(stateDirOf({ STATE_DIR: stateDir })),
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    residentBytes: () => sumBelow(child.pid ?? 0, ({ name, bytes }) => (name === RUNTIME ? bytes : 0)),
    readStored: (sql) => queryDatabaseBelow(join(stateDir, "v3/d1"), sql),
    usedBytes: () => usedBytesBelow(join(stateDir, "v3")),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "close");
        child.kill("SIGTERM");
        await ended;
      }
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** What answers are read for. */
interface Sent {
  id: string;
  /** Of monitors that are pushed to. */
  push_urls?: { heartbeat?: string };
}

type Address = Pick<BenchService, "url" | "token">;

/** An API request that must succeed. */
export async function send({ url, token }: Address, method: string, path: string, body: object): Promise<Sent> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Sent;
}

/** A new monitor that receives beats, and where. */
export async function createHeartbeat(service: Address, name: string): Promise<{ id: string; address: string }> {
  const body = { name, type: "heartbeat", expected_interval: 3600 };
  const { id, push_urls } = await send(service, "POST", `${API}/monitors`, body);
  return { id, address: push_urls?.heartbeat ?? "" };
}

export async function beat(address: string, status: "ok" | "fail"): Promise<void> {
  const url = new URL(address);
  url.searchParams.set("status", status);
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
}

/** Waits until a service that was just started says that it is ready; the token is empty where it has an owner already. */
export async function readGreeting({ stdout }: ChildProcess): Promise<{ url: string; token: string }> {
  let output = "";
  // The service logs on, and would end if nobody took what it says.
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk;
    const url = /^ready (http\S+)$/m.exec(output)?.[1];
    const token = /sk_svc_\w+/.exec(output)?.[0] ?? "";
    if (url) {
      stdout?.resume();
      return { url, token };
    }
  }
  throw new Error(`the service did not start:\n${output}`);
}

/** CPU seconds that the runtimes of a process have used so far. */
export function cpuSecondsOf(parent: number): number {
  const runtimes = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const stat = readStat(pid);
    return stat?.name === RUNTIME && stat.parent === parent ? [stat.cpu] : [];
  });
  return runtimes.reduce((sum, cpu) => sum + cpu, 0);
}

/** CPU seconds that one process has used so far. */
export function cpuSecondsOfProcess(pid: number): number {
  return readStat(String(pid))?.cpu ?? 0;
}

function readStat(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { name, parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
  } catch {
    return undefined; // It ended while we looked.
  }
}
