import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces a file as a whole, readable by its owner alone: a crash leaves the old content or the new one. */
export function writePrivateFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode, flush: true });
  // The mode of a file that was there before would survive.
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

/** Undefined where there is no such file, or one that is not JSON. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const isExpected = error instanceof SyntaxError || codeOf(error) === "ENOENT";
    if (isExpected) return undefined;
    throw error;
  }
}

/** The code of a system error, "" for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
