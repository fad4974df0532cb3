import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "../local/port.ts";
import { PARALLEL } from "./measures.ts";
import type { Scale } from "./rig.ts";
import { cpuSecondsOfProcess } from "./service.ts";
import { turn } from "./turns.ts";

/** What another program of the kind does on the same machine; compare with the row of the same name. */
export interface PeerRow {
  peer: string;
  name: string;
  value: number;
  unit: string;
}

const HOST = "127.0.0.1";
const READY_AFTER_MS = 120_000;
const PEERS: Record<string, (dir: string, scale: Scale) => Promise<PeerRow[]>> = { kuma: measureKuma };

/** `NAME=DIR`: DIR is a checkout of the program with its dependencies installed. */
export async function measurePeer(peer: string, scale: Scale): Promise<PeerRow[]> {
  const [name = "", dir] = peer.split("=");
  const measure = PEERS[name];
  if (!measure || dir === undefined) throw new Error(`--peer is one of ${Object.keys(PEERS).join(", ")}, then =DIR`);
  return measure(resolve(dir), scale);
}

/** Uptime Kuma 2: https://github.com/louislam/uptime-kuma. Its monitors are put into its database between two starts. */
async function measureKuma(dir: string, { monitors, turnMs }: Scale): Promise<PeerRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "vigil-peer-"));
  const port = await findPort({ host: HOST, port: 0 });
  const url = `http://${HOST}:${port}`;
  const run = () => startKuma({ dir, dataDir, port });
  try {
    await stop((await run()).child);
    addPushMonitors(join(dataDir, "kuma.db"), monitors);
    const { child, readyMs } = await run();
    const beats = Array.from({ length: monitors }, (_, n) => `${url}/api/push/${tokenOf(n)}?status=up&msg=OK&ping=`);
    // The first push of each monitor loads what is known of it.
    for (const beat of beats) await (await fetch(beat)).arrayBuffer();
    const cpu = () => cpuSecondsOfProcess(child.pid ?? 0);
    // It refuses a second push of a monitor within a millisecond, which does not concern its speed.
    const pushed = await turn(beats, cpu, { turnMs, connections: PARALLEL, status: null });
    await stop(child);
    const row = (name: string, value: number, unit: string) => ({ peer: "kuma", name, value, unit });
    return [
      row("start", readyMs, "ms"),
      row(`heartbeat, ${monitors} monitors`, pushed.answers / pushed.seconds, "answers/s"),
      row("heartbeat", pushed.cpu, "CPU ms"),
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Place {
  dir: string;
  dataDir: string;
  port: number;
}

async function startKuma({ dir, dataDir, port }: Place): Promise<{ child: ChildProcess; readyMs: number }> {
  const env = { ...process.env, UPTIME_KUMA_DB_TYPE: "sqlite", NODE_ENV: "production" };
  const args = ["server/server.js", `--host=${HOST}`, `--port=${port}`, `--data-dir=${dataDir}/`];
  const from = performance.now();
  const child = spawn(process.execPath, args, { cwd: dir, env, stdio: "ignore" });
  while (!(await isUp(`http://${HOST}:${port}/api/entry-page`))) {
    if (child.exitCode !== null || performance.now() - from > READY_AFTER_MS) throw new Error(`${dir} did not start`);
    await sleep(20);
  }
  return { child, readyMs: performance.now() - from };
}

async function isUp(address: string): Promise<boolean> {
  try {
    const response = await fetch(address);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function addPushMonitors(file: string, count: number): void {
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    "INSERT INTO monitor (name, active, interval, type, push_token) VALUES (?, 1, 3600, 'push', ?)",
  );
  for (let n = 0; n < count; n++) insert.run(`beat ${n}`, tokenOf(n));
  database.close();
}

function tokenOf(n: number): string {
  return `bench${n}`;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
