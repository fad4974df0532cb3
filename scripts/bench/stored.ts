import { copyFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const COPIES_MAX = 3;

/**
 * Bytes that rows and their indexes take in all databases below a directory. Files say less: they grow by whole pages, and
 * their logs of changes up to a limit, regardless of what is kept.
 */
export async function usedBytesBelow(dir: string): Promise<number> {
  const copies = await mkdtemp(join(tmpdir(), "vigil-stored-"));
  try {
    let sum = 0;
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith(".sqlite"))
        sum += await usedBytesOf(entry.parentPath, entry.name, copies);
    }
    return sum;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Thousands of them are as they were when they were read last. */
const known = new Map<string, { stamp: string; bytes: number }>();

async function usedBytesOf(dir: string, name: string, copies: string): Promise<number> {
  const path = join(dir, name);
  const stamp = `${await stampOf(path)} ${await stampOf(`${path}-wal`)}`;
  const former = known.get(path);
  if (former?.stamp === stamp) return former.bytes;
  const bytes = await readUsedBytes(dir, name, copies);
  known.set(path, { stamp, bytes });
  return bytes;
}

async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }));
  return `${mtimeMs}/${size}`;
}

/** Rows of the one database below a directory that is not an object's own; the runtime has no work with it. */
export async function queryDatabaseBelow(dir: string, sql: string): Promise<Record<string, unknown>[]> {
  const copies = await mkdtemp(join(tmpdir(), "vigil-stored-"));
  try {
    const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.name.endsWith(".sqlite") && entry.name !== "metadata.sqlite",
    );
    const [file] = files;
    if (!file || files.length > 1) throw new Error(`${files.length} databases lie below ${dir}`);
    return await queryConsistentCopy(join(file.parentPath, file.name), copies, sql);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

async function readUsedBytes(dir: string, name: string, copies: string): Promise<number> {
  const [row] = await queryConsistentCopy(join(dir, name), copies, "SELECT sum(pgsize - unused) AS bytes FROM dbstat");
  return Number(row?.bytes ?? 0);
}

/** The log of changes may be written back between the copies of the two files, which then do not belong together. */
async function queryConsistentCopy(file: string, copies: string, sql: string): Promise<Record<string, unknown>[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await queryCopy(file, copies, sql);
    } catch (error) {
      if (tries === COPIES_MAX) throw error;
    }
  }
}

/** Of a copy, because the database is in use; what was written lately lies beside it. */
async function queryCopy(file: string, copies: string, sql: string): Promise<Record<string, unknown>[]> {
  const copy = join(copies, "copy.sqlite");
  await copyFile(file, copy);
  await copyFile(`${file}-wal`, `${copy}-wal`).catch(() => rm(`${copy}-wal`, { force: true }));
  const database = new DatabaseSync(copy);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
    await Promise.all(["-wal", "-shm"].map((end) => rm(copy + end, { force: true })));
  }
}
