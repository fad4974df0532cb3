import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { RESULT_STATUSES } from "../contract/agent.ts";
import { Evidence } from "../contract/check.ts";
import { Observation } from "../contract/observation.ts";
import { PhaseTimes } from "../contract/phases.ts";
import { writePrivateFile } from "./files.ts";

/**
 * Check results that the service does not have yet, on disk. The file is a journal of JSON lines: a result, or the
 * numbers of results that are done with (`{"done": [...]}`). A line is written in one call before the result counts as
 * stored, so a killed agent loses no result whose check had ended; a torn last line is ignored.
 */
const StoredResult = z.object({
  n: z.int(),
  monitor_id: z.string(),
  status: z.enum(RESULT_STATUSES),
  checked_at: z.number(),
  latency_ms: z.number().nullable(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  evidence: Evidence.optional(),
  phases: PhaseTimes.optional(),
  observation: Observation.optional(),
  /** A success of a monitor that was up before: what history can spare first. */
  is_settled: z.boolean(),
});
export type StoredResult = z.infer<typeof StoredResult>;
export type CheckedResult = Omit<StoredResult, "n">;

const Line = z.union([StoredResult, z.object({ done: z.array(z.int()) })]);

export interface BufferLimits {
  /** How many results are kept. */
  resultsMax: number;
  /** The journal is rewritten once it has so many lines that no longer matter. */
  staleLinesMax: number;
}
/** Choice: two days of 20 monitors that are checked each minute, about 15 MB. */
export const BUFFER_LIMITS: BufferLimits = { resultsMax: 57_600, staleLinesMax: 10_000 };

/** Dropping one at a time would read through everything for each new result. */
const DROP_SHARE = 0.01;

export class ResultBuffer {
  readonly #path: string;
  readonly #limits: BufferLimits;
  readonly #onFault: (error: unknown) => void;
  /** In the order in which they were measured. */
  #results = new Map<number, StoredResult>();
  #next = 1;
  #staleLines = 0;
  #file: number | null = null;

  /** `onFault` gets write errors; results are then kept in memory alone. */
  constructor(path: string, onFault: (error: unknown) => void, limits: BufferLimits = BUFFER_LIMITS) {
    this.#path = path;
    this.#limits = limits;
    this.#onFault = onFault;
    this.#load();
    this.#rewrite();
  }

  get size(): number {
    return this.#results.size;
  }

  /** Stores a result. Returns how many older ones had to make room. */
  add(result: CheckedResult): number {
    const stored = { n: this.#next++, ...result };
    this.#results.set(stored.n, stored);
    this.#append(stored);
    return this.#results.size > this.#limits.resultsMax ? this.#makeRoom() : 0;
  }

  /** The oldest results, in order. */
  oldest(limit: number): StoredResult[] {
    const found: StoredResult[] = [];
    for (const result of this.#results.values()) {
      if (found.length >= limit) break;
      found.push(result);
    }
    return found;
  }

  /** Removes results that the service has, or will never take. */
  remove(numbers: readonly number[]): void {
    const done = numbers.filter((n) => this.#results.delete(n));
    if (done.length === 0) return;
    this.#append({ done });
    this.#staleLines += done.length + 1;
    if (this.#staleLines > this.#limits.staleLinesMax) this.#rewrite();
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Settled successes go first, oldest first: what remains still says when a monitor failed and recovered. */
  #makeRoom(): number {
    const surplus = this.#results.size - this.#limits.resultsMax;
    const count = surplus + Math.floor(this.#limits.resultsMax * DROP_SHARE);
    const settled = [...this.#results.values()].filter(({ is_settled }) => is_settled).slice(0, count);
    const victims = settled.length > 0 ? settled : this.oldest(surplus);
    this.remove(victims.map(({ n }) => n));
    const left = this.#results.size - this.#limits.resultsMax;
    if (left > 0) this.remove(this.oldest(left).map(({ n }) => n));
    return victims.length + Math.max(left, 0);
  }

  #load(): void {
    if (!existsSync(this.#path)) return;
    for (const text of readFileSync(this.#path, "utf8").split("\n")) {
      const line = lineOf(text);
      if (!line) continue;
      if ("done" in line) for (const n of line.done) this.#results.delete(n);
      else this.#results.set(line.n, line);
    }
    this.#next = Math.max(0, ...this.#results.keys()) + 1;
  }

  #append(line: z.infer<typeof Line>): void {
    try {
      this.#file ??= this.#open();
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    return openSync(this.#path, "a", 0o600);
  }

  /** Leaves in the file what is still to be sent. */
  #rewrite(): void {
    try {
      this.close();
      writePrivateFile(this.#path, [...this.#results.values()].map((line) => `${JSON.stringify(line)}\n`).join(""));
      this.#staleLines = 0;
    } catch (error) {
      this.#onFault(error);
    }
  }
}

function lineOf(text: string): z.infer<typeof Line> | null {
  try {
    const parsed = Line.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
