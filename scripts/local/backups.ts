import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { isEncrypted } from "../backup/archive.ts";
import { type BackupStore, backupStoreOf, fetchBackup, removeStored, storeBackup } from "./backup-store.ts";
import { Refusal } from "./command-error.ts";
import { IS_PACKAGED, PROJECT_ROOT } from "./paths.ts";
import type { StateDir } from "./settings.ts";

/** Backups that the service makes of itself, one each day (UTC), the newest of which is restored as a test each month. */
export interface Backups {
  dir: string;
  /** How many days are kept. */
  keep: number;
  /** Requested while the backup of the day is there: a heartbeat monitor alerts when one is missing. */
  heartbeat: string | undefined;
  /** Where each is stored once more. */
  store: BackupStore | undefined;
}

/** What became of them; `vigil doctor` reads it. */
export interface BackupRecord {
  made_at?: string;
  file?: string;
  /** The address of the last one that the store has. */
  stored?: string;
  tested_at?: string;
  failure?: string;
}

const KEEP_DAYS = 14;
const LOOK_EVERY_MS = 3_600_000;
const HEARTBEAT_MS = 30_000;
const TEST_EVERY_DAYS = 30;
const DAY_MS = 86_400_000;
/** Of the folders that a restore test fills. */
export const CHECK_PREFIX = "check-";
/** Those made before an upgrade are apart, so that days do not push them out. */
const KEPT_UPGRADES = 3;
const DAILY = /^vigil-\d{4}-\d\d-\d\d\.backup$/;
const BEFORE_UPGRADE = /^vigil-before-upgrade-[\d-]+T[\d-]+\.backup$/;

export function backupsOf(env: NodeJS.ProcessEnv): Backups | undefined {
  if (!env.BACKUP_DIR) return undefined;
  const keep = Number(env.BACKUP_KEEP_DAYS || KEEP_DAYS);
  if (!Number.isInteger(keep) || keep < 1 || keep > 3650)
    throw new Refusal("BACKUP_KEEP_DAYS must be between 1 and 3650");
  const heartbeat = env.BACKUP_HEARTBEAT_URL || undefined;
  if (heartbeat !== undefined && !URL.canParse(heartbeat)) throw new Refusal("BACKUP_HEARTBEAT_URL must be a URL");
  const store = backupStoreOf(env);
  const dir = resolve(env.BACKUP_DIR);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(`BACKUP_DIR ${dir} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  return { dir, keep, heartbeat, store };
}

/** Looks once an hour, and at once, whether the day has its backup. */
export function keepBackups(stateDir: StateDir, backups: Backups): AsyncDisposable {
  const stopping = new AbortController();
  let current: Promise<void> = Promise.resolve();
  const look = () => {
    current = current.then(() => backUpToday(stateDir, backups, stopping.signal));
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stopping.abort();
      await current;
    },
  };
}

/** For the release that is to be given up; the state of a newer one cannot be read by an older one for sure. */
export async function backUpBeforeUpgrade(stateDir: StateDir, { dir }: Backups): Promise<void> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = join(dir, `vigil-before-upgrade-${time}.backup`);
  try {
    await run("backup", [file], stateDir.path);
  } catch (error) {
    throw new Refusal(`no backup could be made before the upgrade: ${messageOf(error)}`);
  }
  console.log(`before the upgrade: ${file}`);
  for (const name of outdated(dir, BEFORE_UPGRADE, KEPT_UPGRADES)) rmSync(join(dir, name), { force: true });
}

async function backUpToday(stateDir: StateDir, backups: Backups, stopping: AbortSignal): Promise<void> {
  const { dir, keep, heartbeat, store } = backups;
  const now = new Date();
  const file = join(dir, `vigil-${now.toISOString().slice(0, 10)}.backup`);
  const record = readBackupRecord(stateDir);
  try {
    // One in the clear, of the time before the store, must not get there.
    if (store && existsSync(file) && !isEncrypted(file)) rmSync(file);
    if (!existsSync(file)) await run("backup", [file], stateDir.path, stopping);
    for (const name of outdated(dir, DAILY, keep)) {
      if (store) await removeFrom(store, name, stopping);
      rmSync(join(dir, name), { force: true });
    }
    if (store) await storeNew(stateDir, { dir, store, record, stopping });
    record.file = file;
    record.made_at = statSync(file).mtime.toISOString();
    if (now.getTime() - Date.parse(record.tested_at ?? "1970-01-01") >= TEST_EVERY_DAYS * DAY_MS) {
      await testRestore(stateDir, { backups, file, stopping });
      record.tested_at = now.toISOString();
      console.log(`restored as a test: ${file}`);
    }
    delete record.failure;
    writeBackupRecord(stateDir, record);
  } catch (error) {
    if (stopping.aborted) return;
    const reason = messageOf(error);
    console.error(`backup failed: ${reason}`);
    writeBackupRecord(stateDir, { ...record, failure: `${now.toISOString()}: ${reason}` });
    return;
  }
  if (heartbeat !== undefined) await sendHeartbeat(heartbeat, stopping);
}

/** Those that the store has not yet: also of days on which it could not be reached. */
async function storeNew(
  stateDir: StateDir,
  { dir, store, record, stopping }: { dir: string; store: BackupStore; record: BackupRecord; stopping: AbortSignal },
): Promise<void> {
  const { href } = store.url;
  const last = record.stored?.startsWith(href) ? record.stored.slice(href.length) : "";
  // Another store has shown nothing of itself yet.
  if (last === "") delete record.tested_at;
  const names = readdirSync(dir).filter((name) => DAILY.test(name) && name > last && isEncrypted(join(dir, name)));
  for (const name of names.sort()) {
    await storeBackup(store, join(dir, name), stopping);
    record.stored = href + name;
    writeBackupRecord(stateDir, record);
  }
}

/** What a store keeps, because its key may not delete or its objects are locked, is no reason to keep it here too. */
async function removeFrom(store: BackupStore, name: string, stopping: AbortSignal): Promise<void> {
  try {
    await removeStored(store, name, stopping);
  } catch (error) {
    stopping.throwIfAborted();
    console.error(`${messageOf(error)}; it stays there`);
  }
}

/** Of what the store has, where there is one: after the loss of the machine it is all that is left. */
async function testRestore(
  stateDir: StateDir,
  { backups: { dir, store }, file, stopping }: { backups: Backups; file: string; stopping: AbortSignal },
): Promise<void> {
  // A test that was cut off left its copies, secrets included.
  for (const name of readdirSync(dir).filter((each) => each.startsWith(CHECK_PREFIX))) {
    rmSync(join(dir, name), { recursive: true });
  }
  const fetched = join(dir, `${CHECK_PREFIX}${basename(file)}`);
  if (store) await fetchBackup(store, { name: basename(file), file: fetched, signal: stopping });
  try {
    await run("restore", [store ? fetched : file, "--check"], stateDir.path, stopping);
  } finally {
    rmSync(fetched, { force: true });
  }
}

async function sendHeartbeat(url: string, stopping: AbortSignal): Promise<void> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(HEARTBEAT_MS)]);
    const { ok, status } = await fetch(url, { method: "POST", signal });
    if (!ok) console.error(`BACKUP_HEARTBEAT_URL answered ${status}`);
  } catch (error) {
    if (!stopping.aborted) console.error(`BACKUP_HEARTBEAT_URL: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** In a process of its own: reading and compressing everything would hold up the clock. */
async function run(
  command: "backup" | "restore",
  args: string[],
  stateDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const program = IS_PACKAGED
    ? [join(import.meta.dirname, "vigil.js"), command]
    : [join(PROJECT_ROOT, "scripts", `${command}.ts`)];
  const child = spawn(process.execPath, [...program, ...args], {
    env: { ...process.env, STATE_DIR: stateDir },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  const [[code], reason] = await Promise.all([once(child, "close"), text(child.stderr)]);
  if (code !== 0) throw new Error(reason.trim() || `${command} ended with ${code}`);
}

/** The names of a kind beyond the newest. */
function outdated(dir: string, kind: RegExp, keep: number): string[] {
  const files = readdirSync(dir).filter((name) => kind.test(name));
  return files.sort().slice(0, -keep);
}

export function readBackupRecord({ backupRecord }: StateDir): BackupRecord {
  try {
    return JSON.parse(readFileSync(backupRecord, "utf8"));
  } catch {
    return {}; // None was made yet.
  }
}

function writeBackupRecord({ backupRecord: file }: StateDir, record: BackupRecord): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
