import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateSync, inflateSync } from "node:zlib";
import { z } from "zod";
import { Refusal } from "../local/command-error.ts";

/**
 * A backup is one SQLite file: what it is of, its files with their checksums, and their contents in compressed chunks,
 * each sealed with AES-256-GCM under the passphrase where there is one.
 */

const FORMAT = 1;
const CHUNK_BYTES = 1 << 20;
const KEY_COST = { N: 1 << 15, r: 8, p: 1, maxmem: 64 << 20 };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const Manifest = z.object({
  kind: z.enum(["local", "remote"]),
  made_at: z.string(),
  /** Names of the migrations that the database has had. */
  migrations: z.array(z.string()),
  /** It went on and sent what was pending. */
  was_running: z.boolean().default(true),
});
export type Manifest = z.infer<typeof Manifest>;

export interface ArchivedFile {
  path: string;
  size: number;
  sha256: string;
}

export interface ArchiveWriter {
  add(path: string, source: string): void;
  /** Without it the file is not a backup; it appears under its name only now. */
  finish(): void;
  discard(): void;
}

const TABLES = [
  "CREATE TABLE info (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
  "CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER NOT NULL, sha256 TEXT NOT NULL)",
  "CREATE TABLE chunks (path TEXT NOT NULL, position INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (path, position))",
];

/** Below the directory into which a backup is written: a relative path that goes up nowhere. */
const PLACE = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

type Seal = (content: Uint8Array, place: string) => Uint8Array;

export function createArchive(file: string, manifest: Manifest, passphrase: string | undefined): ArchiveWriter {
  if (existsSync(file)) throw new Refusal(`${file} exists already`);
  const part = `${file}.part`;
  rmSync(part, { force: true });
  const database = new DatabaseSync(part);
  chmodSync(part, 0o600);
  database.exec(`PRAGMA journal_mode = OFF; BEGIN; ${TABLES.join("; ")}`);
  const salt = randomBytes(16);
  const seal = passphrase === undefined ? (content: Uint8Array) => content : sealWith(keyOf(passphrase, salt));
  const putInfo = database.prepare("INSERT INTO info (name, value) VALUES (?, ?)");
  const putFile = database.prepare("INSERT INTO files (path, size, sha256) VALUES (?, ?, ?)");
  const putChunk = database.prepare("INSERT INTO chunks (path, position, content) VALUES (?, ?, ?)");
  putInfo.run("format", FORMAT);
  if (passphrase !== undefined) putInfo.run("salt", salt);
  putInfo.run("manifest", seal(Buffer.from(JSON.stringify(manifest)), "manifest"));
  const files: ArchivedFile[] = [];
  return {
    add(path, source) {
      const hash = createHash("sha256");
      let size = 0;
      for (const chunk of chunksOf(source)) {
        putChunk.run(path, size / CHUNK_BYTES, seal(deflateSync(chunk), `${path}\n${size / CHUNK_BYTES}`));
        hash.update(chunk);
        size += chunk.length;
      }
      const added = { path, size, sha256: hash.digest("hex") };
      putFile.run(added.path, added.size, added.sha256);
      files.push(added);
    },
    finish() {
      putInfo.run("digest", seal(Buffer.from(digestOf(files)), "digest"));
      database.exec("COMMIT");
      database.close();
      renameSync(part, file);
    },
    discard() {
      database.close();
      rmSync(part, { force: true });
    },
  };
}

export interface ArchiveReader {
  manifest: Manifest;
  files: ArchivedFile[];
  /** Writes a file of the backup, and fails when it is not what was put in. */
  extract(path: string, target: string): void;
}

/** Whether a backup needs a passphrase to be read. */
export function isEncrypted(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return readInfo(database, file).get("salt") instanceof Uint8Array;
  } finally {
    database.close();
  }
}

/** Fails on what is no backup, is incomplete, or needs another passphrase. */
export function openArchive(file: string, passphrase: string | undefined): ArchiveReader {
  if (!existsSync(file)) throw new Refusal(`there is no file ${file}`);
  const database = new DatabaseSync(file, { readOnly: true });
  const info = readInfo(database, file);
  if (info.get("format") !== FORMAT) throw new Refusal(`${file} is of another format: use the release that made it`);
  const salt = info.get("salt");
  const isSealed = salt instanceof Uint8Array;
  if (isSealed && passphrase === undefined) throw new Refusal(`${file} is encrypted: give its passphrase`);
  const open = isSealed ? openWith(keyOf(passphrase ?? "", salt)) : (content: Uint8Array) => content;
  const files = database
    .prepare("SELECT path, size, sha256 FROM files ORDER BY rowid")
    .all() as unknown as ArchivedFile[];
  const foreign = files.find(({ path }) => !PLACE.test(path));
  if (foreign) throw new Refusal(`${file} names ${JSON.stringify(foreign.path)}, which is no place within a backup`);
  const digest = readSealed(info, "digest", open, `${file} is incomplete, changed, or sealed with another passphrase`);
  if (digest !== digestOf(files)) throw new Refusal(`${file} is incomplete or was changed`);
  const manifest = Manifest.parse(JSON.parse(readSealed(info, "manifest", open, `${file} was changed`)));
  return {
    manifest,
    files,
    extract(path, target) {
      const known = files.find((entry) => entry.path === path);
      const size = known?.size ?? 0;
      requireSpace(dirname(target), size);
      const hash = createHash("sha256");
      let written = 0;
      const output = openSync(target, "wx", 0o600);
      try {
        const chunks = database.prepare("SELECT position, content FROM chunks WHERE path = ? ORDER BY position");
        for (const { position, content } of chunks.iterate(path)) {
          const sealed = open(content as Uint8Array, `${path}\n${position}`);
          const chunk = inflateSync(sealed, { maxOutputLength: CHUNK_BYTES });
          written += chunk.length;
          if (written > size) throw new Error("it is longer than it says");
          hash.update(chunk);
          writeSync(output, chunk);
        }
      } catch (error) {
        throw new Refusal(`${path} in the backup was changed: ${error instanceof Error ? error.message : error}`);
      } finally {
        closeSync(output);
      }
      if (hash.digest("hex") !== known?.sha256) throw new Refusal(`${path} in the backup was changed`);
    },
  };
}

/** Chunks of blanks are a thousand times smaller than what they unfold to. */
function requireSpace(dir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir);
  if (bytes > bavail * bsize)
    throw new Refusal(`the backup needs ${bytes} bytes, more than the disk of ${dir} has left`);
}

/** A view, a trigger or a computed column of somebody else's would run here as they wrote it. */
function requireOwnTables(database: DatabaseSync): void {
  const found = database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").all();
  const isOwn = found.length === TABLES.length && found.every(({ sql }) => TABLES.includes(String(sql)));
  if (!isOwn) throw new Error("other tables");
}

function readInfo(database: DatabaseSync, file: string): Map<string, unknown> {
  try {
    requireOwnTables(database);
    const rows = database.prepare("SELECT name, value FROM info").all();
    return new Map(rows.map(({ name, value }) => [String(name), value]));
  } catch {
    throw new Refusal(`${file} is no backup`);
  }
}

function readSealed(info: Map<string, unknown>, name: string, open: Seal, failure: string): string {
  try {
    return Buffer.from(open(info.get(name) as Uint8Array, name)).toString();
  } catch {
    throw new Refusal(failure);
  }
}

function* chunksOf(file: string): Generator<Uint8Array> {
  const input = openSync(file, "r");
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const length = readSync(input, chunk);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(input);
  }
}

function digestOf(files: ArchivedFile[]): string {
  const list = files.map(({ path, size, sha256 }) => `${path}\n${size}\n${sha256}\n`).join("");
  return createHash("sha256").update(list).digest("hex");
}

function keyOf(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase, salt, 32, KEY_COST);
}

/** The place is sealed along, so that chunks cannot change places unnoticed. */
function sealWith(key: Buffer): Seal {
  return (content, place) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  };
}

function openWith(key: Buffer): Seal {
  return (content, place) => {
    const nonce = content.subarray(0, NONCE_BYTES);
    const tag = content.subarray(-TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
    return Buffer.concat([decipher.update(content.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  };
}
