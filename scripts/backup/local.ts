import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { restoredEpoch } from "../../src/domain/epoch.ts";
import { CHECK_PREFIX } from "../local/backups.ts";
import { Refusal } from "../local/command-error.ts";
import { lockState } from "../local/lock.ts";
import { createStateDir, type StateDir, stateDirAt } from "../local/settings.ts";
import { type ArchivedFile, createArchive, openArchive } from "./archive.ts";
import { refuseNewerRelease } from "./releases.ts";

/** Another command may hold the state for as long as this. */
const LOCK_WAIT_MS = 3000;

/** The parts of a service that cannot be made again: its secrets, its objects with their alarms, its database. */
const OBJECTS = "v3/do";
const DATABASES = "v3/d1";
const SECRETS = "secrets.json";

/** Beside the databases and objects of a kind the runtime keeps their alarms. */
const RUNTIME_OWN = "metadata.sqlite";

/** What objects were passing on when they were copied is in the database by then, and is not passed on after a restore. */
const HANDOVER_MS = 2000;

/** In one step: a copy in several begins again whenever the service writes in between. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the state of a local service, running or not. Objects come before the database: what an object had not yet
 * passed on is passed on again after a restore and ignored where the database has it; the other way round it were lost.
 */
export async function backUpLocal(stateDir: StateDir, file: string, passphrase: string | undefined): Promise<number> {
  const database = databasesIn(join(stateDir.path, DATABASES)).find((path) => basename(path) !== RUNTIME_OWN);
  if (!database) throw new Refusal(`nothing to back up: no service ever ran on ${stateDir.path}`);
  const copies = join(stateDir.path, "backup");
  rmSync(copies, { recursive: true, force: true });
  mkdirSync(copies, { mode: 0o700 });
  const was_running = isLocked(stateDir);
  const manifest = {
    kind: "local" as const,
    made_at: new Date().toISOString(),
    was_running,
    migrations: migrationsOf(database),
  };
  const archive = createArchive(file, manifest, passphrase);
  try {
    archive.add(SECRETS, stateDir.secrets);
    const add = async (source: string) => {
      const copy = join(copies, basename(source));
      const original = new DatabaseSync(source, { readOnly: true });
      await backup(original, copy, { rate: ALL_PAGES });
      original.close();
      archive.add(relative(stateDir.path, source), copy);
      rmSync(copy);
    };
    const [objects = [], databases = []] = [OBJECTS, DATABASES].map((part) => databasesIn(join(stateDir.path, part)));
    for (const source of objects) await add(source);
    if (was_running) await setTimeout(HANDOVER_MS);
    for (const source of databases) await add(source);
    archive.finish();
    return objects.length + databases.length;
  } catch (error) {
    archive.discard();
    throw error;
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

/**
 * Puts a backup in the place of a local service's state, once all of it was read and found whole. What was there before
 * stays beside it.
 */
export function restoreLocal(
  stateDir: StateDir,
  file: string,
  input: { passphrase: string | undefined; replace: boolean },
) {
  createStateDir(stateDir);
  using lock = lockState(stateDir, LOCK_WAIT_MS);
  if (!lock) throw new Refusal(`a service runs on ${stateDir.path}: stop it first`);
  const archive = openArchive(file, input.passphrase);
  if (archive.manifest.kind !== "local") throw new Refusal(`${file} is of a deployment: restore it with --remote`);
  refuseNewerRelease(archive.manifest);
  const present = [SECRETS, "v3"].filter((part) => existsSync(join(stateDir.path, part)));
  if (present.length > 0 && !input.replace) {
    throw new Refusal(`${stateDir.path} holds a service already: choose another STATE_DIR, or give --replace`);
  }
  const incoming = join(stateDir.path, "restore");
  rmSync(incoming, { recursive: true, force: true });
  requireOwnPlaces(archive.files);
  for (const { path } of archive.files) {
    mkdirSync(dirname(join(incoming, path)), { recursive: true, mode: 0o700 });
    archive.extract(path, join(incoming, path));
  }
  if (archive.manifest.was_running) {
    for (const database of databasesIn(join(incoming, DATABASES))) markRestored(database);
  }
  const outgoing = join(stateDir.path, `replaced-${new Date().toISOString().replaceAll(":", "-")}`);
  if (present.length > 0) mkdirSync(outgoing, { mode: 0o700 });
  for (const part of present) renameSync(join(stateDir.path, part), join(outgoing, part));
  for (const part of readdirSync(incoming)) renameSync(join(incoming, part), join(stateDir.path, part));
  rmSync(incoming, { recursive: true });
  // The next start migrates, regardless of what it prepared before.
  rmSync(stateDir.prepared, { force: true });
  return { made_at: archive.manifest.made_at, replaced: present.length > 0 ? outgoing : undefined };
}

/** Restores a backup beside itself, looks whether each database is whole, and removes what it restored. */
export function checkBackup(file: string, passphrase: string | undefined) {
  const dir = mkdtempSync(join(dirname(file), CHECK_PREFIX));
  try {
    const { made_at } = restoreLocal(stateDirAt(dir), file, { passphrase, replace: false });
    const databases = [OBJECTS, DATABASES].flatMap((part) => databasesIn(join(dir, part)));
    for (const path of databases) requireWhole(path);
    return { made_at, databases: databases.length };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function requireWhole(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const [found] = database.prepare("PRAGMA integrity_check").all();
  database.close();
  if (found?.integrity_check !== "ok") throw new Refusal(`${basename(path)} is damaged: ${found?.integrity_check}`);
}

/** A backup of somebody else's may name any place, also that of the program which the next start runs. */
function requireOwnPlaces(files: readonly ArchivedFile[]): void {
  const isOwn = (path: string) => path === SECRETS || /^v3\/(?:do|d1)(?:\/[\w-]+)*\/[\w-]+\.sqlite$/.test(path);
  const foreign = files.find(({ path }) => !isOwn(path));
  if (foreign)
    throw new Refusal(`the backup names ${JSON.stringify(foreign.path)}, which is no part of a service's state`);
}

function databasesIn(dir: string): string[] {
  return globSync(join(dir, "**/*.sqlite")).sort();
}

/** The service then ends what was pending, because the one that was copied sent it. */
function markRestored(file: string): void {
  const database = new DatabaseSync(file);
  const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'installation'").get();
  if (hasTable) database.prepare("UPDATE installation SET epoch = ?").run(restoredEpoch(Date.now()));
  database.close();
}

function isLocked(stateDir: StateDir): boolean {
  using lock = lockState(stateDir, 0);
  return lock === undefined;
}

function migrationsOf(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get();
  const rows = hasTable ? database.prepare("SELECT name FROM d1_migrations ORDER BY id").all() : [];
  database.close();
  return rows.map(({ name }) => String(name));
}
