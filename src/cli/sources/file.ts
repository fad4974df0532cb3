import { parse } from "yaml";
import { isRecord } from "../../lib/is-record.ts";
import { isDeeperThan } from "../../lib/json-depth.ts";
import { CommandFailure } from "../failure.ts";
import { ForeignRecord } from "./record.ts";
import type { Tables } from "./tables.ts";

/** Files of other tools, which may come from anybody: what is too large, too deep or malformed ends in one sentence. */

export const FILE_BYTES_MAX = 16 * 1024 * 1024;
export const DEPTH_MAX = 64;
/** Values of a file, those counted again that an alias repeats. */
export const VALUES_MAX = 1_000_000;
/** A configuration may use an anchor for each of its thousands of endpoints. */
const ALIASES_MAX = 10_000;

const BYTE_ORDER_MARKS: readonly [mark: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
const SQLITE = "SQLite format 3\0";

/** What somebody has of another tool, on a disk or as a browser was given it. */
export interface ForeignFile {
  isDatabase(): boolean;
  text(): string;
  /** `tool` is named where it is none of its databases. */
  readTables<Result>(tool: string, convert: (tables: Tables) => Result): Result;
}

export function isSqlite(bytes: Uint8Array): boolean {
  return [...SQLITE].every((sign, n) => bytes[n] === sign.charCodeAt(0));
}

export function decodeForeignText(name: string, bytes: Uint8Array): string {
  if (bytes.length > FILE_BYTES_MAX) throw tooLarge(name);
  const encoding = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, n) => bytes[n] === byte))?.[1] ?? "utf-8";
  const text = decode(bytes, encoding);
  if (text === null || text.includes("\0")) {
    throw new CommandFailure(`${name} is no text: it has to be UTF-8, or UTF-16 with a byte order mark`);
  }
  return text;
}

export function tooLarge(name: string): CommandFailure {
  return new CommandFailure(`${name} is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`);
}

function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** A list becomes the record that holds it by this name, because some tools write one. */
export function parseForeignYaml(text: string, tool: string, list?: string): ForeignRecord {
  return recordOf(tool, () => {
    const value: unknown = parse(text, { merge: true, maxAliasCount: ALIASES_MAX, logLevel: "error" });
    return list !== undefined && Array.isArray(value) ? { [list]: value } : value;
  });
}

/** The same, of JSON. */
export function parseForeignJson(text: string, tool: string, list?: string): ForeignRecord {
  if (isDeeperThan(text, DEPTH_MAX)) throw tooMuch(tool);
  return recordOf(tool, () => {
    const value: unknown = JSON.parse(text);
    return list !== undefined && Array.isArray(value) ? { [list]: value } : value;
  });
}

function recordOf(tool: string, read: () => unknown): ForeignRecord {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    throw new CommandFailure(`the file cannot be read: ${reason.slice(0, 200)}`);
  }
  if (!isRecord(value)) throw new CommandFailure(`the file is nothing of ${tool}`);
  if (!isWithin(value)) throw tooMuch(tool);
  return new ForeignRecord(value);
}

function tooMuch(tool: string): CommandFailure {
  return new CommandFailure(`the file holds more than ${tool} would: too many values, or too deep`);
}

/** Aliases share what they repeat, so that a small file can hold more than all memory as soon as somebody walks it. */
function isWithin(value: unknown): boolean {
  let count = 0;
  const walk = (item: unknown, depth: number): boolean => {
    if (++count > VALUES_MAX || depth > DEPTH_MAX) return false;
    if (typeof item !== "object" || item === null) return true;
    for (const member of Object.values(item)) if (!walk(member, depth + 1)) return false;
    return true;
  };
  return walk(value, 0);
}
