import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { CommandFailure } from "../failure.ts";
import { readTables } from "./database.ts";
import { decodeForeignText, FILE_BYTES_MAX, type ForeignFile, isSqlite, tooLarge } from "./file.ts";
import { readSqlDump } from "./sql-dump.ts";

/** A file of another tool on this machine. */
export function localFile(path: string): ForeignFile {
  const text = () => decodeForeignText(path, readBounded(path));
  return {
    isDatabase: () => isSqlite(headOf(path)),
    text,
    readTables(tool, convert) {
      if (!existsSync(path) || isSqlite(headOf(path))) return readTables(path, tool, convert);
      return readSqlDump(text(), { file: path, tool, convert });
    },
  };
}

function headOf(path: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const head = Buffer.alloc(16);
    readSync(descriptor, head);
    return head;
  } catch {
    return new Uint8Array();
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A pipe and a device say no size, so that reading itself has to end. */
function readBounded(path: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    if (fstatSync(descriptor).isDirectory()) throw new CommandFailure(`${path} is a directory`);
    const chunks: Buffer[] = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.alloc(1024 * 1024);
      const length = readSync(descriptor, chunk);
      if (length === 0) return Buffer.concat(chunks);
      total += length;
      if (total > FILE_BYTES_MAX) throw tooLarge(path);
      chunks.push(chunk.subarray(0, length));
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
