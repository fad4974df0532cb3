import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "../local/port.ts";
import { PARALLEL } from "./measures.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
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
const LOOK_EVERY_MS = 100;
const IDLE_MS = 3_000;
/** The shortest that it has. */
const KUMA_INTERVAL_SECONDS = 20;
const CHECKED = 30;
const KUMA_SERVER = "server/server.js";
const PEERS: Record<string, { server: string; measure: (dir: string, scale: Scale) => Promise<PeerRow[]> }> = {
  kuma: { server: KUMA_SERVER, measure: measureKuma },
};

export type Peer = (scale: Scale) => Promise<PeerRow[]>;

/** `NAME=DIR`: DIR is a checkout of the program, set up as it says itself, so that its server can run there. */
export function parsePeer(text: string): Peer {
  const [name = "", dir = ""] = text.split("=");
  const known = PEERS[name];
  if (!known || dir === "") throw new Error(`--peer is one of ${Object.keys(PEERS).join(", ")}, then =DIR`);
  if (!existsSync(join(dir, known.server))) throw new Error(`--peer ${text}: there is no ${known.server} in ${dir}`);
  return (scale) => known.measure(resolve(dir), scale);
}

/**
 * Uptime Kuma 2: https://github.com/louislam/uptime-kuma. Its monitors are put into its database between two starts. It
 * starts those that it checks one after the other, up to a second apart, so there are few of them, and what it uses
 * without them is subtracted.
 */
async function measureKuma(dir: string, { monitors, turnMs, watchedMs }: Scale): Promise<PeerRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "vigil-peer-"));
  const file = join(dataDir, "kuma.db");
  const place = { dir, dataDir, port: await findPort({ host: HOST, port: 0 }) };
  const row = (name: string, value: number, unit: string) => ({ peer: "kuma", name, value, unit });
  try {
    await stop((await startKuma(place)).child);
    change(file, (database) => addPushMonitors(database, monitors));
    const pushed = await measurePushes(place, { monitors, turnMs });
    change(file, (database) => database.exec("DELETE FROM monitor"));
    const idle = await measureIdle(place, watchedMs);
    using receiver = await startReceiver();
    change(file, (database) => addCheckedMonitors(database, receiver.url));
    return [
      row("start, nothing changed", idle.readyMs, "ms"),
      row("memory when idle, all processes", idle.bytes / 1e6, "MB"),
      row(`heartbeat, ${monitors} monitors`, pushed.accepted / pushed.seconds, "answers/s"),
      row("heartbeat, CPU", pushed.cpuMs / pushed.accepted, "CPU ms"),
      row("check", await measureChecks(place, { receiver, watchedMs, idleCpu: idle.cpu }), "CPU ms"),
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** It refuses a second push of a monitor within a millisecond, so what its database holds is counted, and no answer. */
async function measurePushes(place: Place, { monitors, turnMs }: Pick<Scale, "monitors" | "turnMs">) {
  const { child, url } = await startKuma(place);
  const beats = Array.from({ length: monitors }, (_, n) => `${url}/api/push/${tokenOf(n)}?status=up&msg=OK&ping=`);
  // The first push of each monitor loads what is known of it.
  for (const beat of beats) await (await fetch(beat)).arrayBuffer();
  const cpu = () => cpuSecondsOfProcess(child.pid ?? 0);
  const { answers, seconds, cpu: cpuMs } = await turn(beats, cpu, { turnMs, connections: PARALLEL, status: null });
  await stop(child);
  const accepted = countRows(place, "msg = 'OK'") - monitors;
  if (accepted <= 0) throw new Error("no push was accepted");
  return { accepted, seconds, cpuMs: cpuMs * answers };
}

/** Without a monitor: CPU seconds a second. */
async function measureIdle(place: Place, watchedMs: number) {
  const { child, readyMs } = await startKuma(place);
  await sleep(IDLE_MS);
  const bytes = residentBytes(child.pid ?? 0);
  const before = cpuSecondsOfProcess(child.pid ?? 0);
  await sleep(watchedMs);
  const cpu = (cpuSecondsOfProcess(child.pid ?? 0) - before) / (watchedMs / 1000);
  await stop(child);
  return { readyMs, bytes, cpu };
}

interface Watching {
  receiver: Receiver;
  watchedMs: number;
  idleCpu: number;
}

/** Milliseconds of CPU for each check, once each monitor is known to be up. */
async function measureChecks(place: Place, { receiver, watchedMs, idleCpu }: Watching): Promise<number> {
  const { child } = await startKuma(place);
  const deadline = performance.now() + READY_AFTER_MS;
  while (receiver.count() < 2 * CHECKED) {
    if (performance.now() > deadline) throw new Error("the monitors were not checked");
    await sleep(LOOK_EVERY_MS);
  }
  const ms = Math.max(watchedMs, 2 * KUMA_INTERVAL_SECONDS * 1000);
  const [checks, cpu] = [receiver.count(), cpuSecondsOfProcess(child.pid ?? 0)];
  await sleep(ms);
  const used = cpuSecondsOfProcess(child.pid ?? 0) - cpu - (idleCpu * ms) / 1000;
  const done = receiver.count() - checks;
  await stop(child);
  if (countRows(place, "status = 1") < done) throw new Error("the targets were not found up");
  return (1000 * used) / done;
}

interface Place {
  dir: string;
  dataDir: string;
  port: number;
}

async function startKuma({ dir, dataDir, port }: Place) {
  const url = `http://${HOST}:${port}`;
  const env = { ...process.env, UPTIME_KUMA_DB_TYPE: "sqlite", NODE_ENV: "production" };
  const args = [KUMA_SERVER, `--host=${HOST}`, `--port=${port}`, `--data-dir=${dataDir}/`];
  const from = performance.now();
  const child = spawn(process.execPath, args, { cwd: dir, env, stdio: "ignore" });
  while (!(await isUp(`${url}/api/entry-page`))) {
    if (child.exitCode !== null || performance.now() - from > READY_AFTER_MS) throw new Error(`${dir} did not start`);
    await sleep(20);
  }
  return { child, url, readyMs: performance.now() - from };
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

function change(file: string, run: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  run(database);
  database.close();
}

function addPushMonitors(database: DatabaseSync, count: number): void {
  const insert = database.prepare(
    "INSERT INTO monitor (name, active, interval, type, push_token) VALUES (?, 1, 3600, 'push', ?)",
  );
  for (let n = 0; n < count; n++) insert.run(`beat ${n}`, tokenOf(n));
}

function addCheckedMonitors(database: DatabaseSync, url: string): void {
  const insert = database.prepare(
    "INSERT INTO monitor (name, active, interval, type, url) VALUES (?, 1, ?, 'http', ?)",
  );
  for (let n = 0; n < CHECKED; n++) insert.run(`web ${n}`, KUMA_INTERVAL_SECONDS, `${url}/${n}`);
}

/** What it has recorded of its monitors. */
function countRows({ dataDir }: Place, condition: string): number {
  const database = new DatabaseSync(join(dataDir, "kuma.db"), { readOnly: true });
  const { total } = database.prepare(`SELECT count(*) AS total FROM heartbeat WHERE ${condition}`).get() ?? {};
  database.close();
  return Number(total);
}

function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

function tokenOf(n: number): string {
  return `bench${n}`;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
