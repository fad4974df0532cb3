import { readFileSync, writeFileSync } from "node:fs";
import { CommandFailure } from "./failure.ts";

/** Answers go to standard output, everything else to standard error. */

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  }
}

/** Readable by its owner alone, because other tools keep credentials beside settings. */
export function writeNew(file: string, content: string): void {
  try {
    writeFileSync(file, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  }
}

export const json = (value: unknown) => JSON.stringify(value, null, 2);
export const print = (line: string) => void process.stdout.write(`${line}\n`);
export const note = (line: string) => void process.stderr.write(`${line}\n`);
