import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUFFER_LIMITS, type CheckedResult, ResultBuffer } from "./buffer.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "vigil-buffer-"));
  path = join(dir, "results.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true }));

const fail = (error: unknown) => {
  throw error;
};
const open = (limits = BUFFER_LIMITS) => new ResultBuffer(path, fail, limits);
const result = (checked_at: number, changes: Partial<CheckedResult> = {}): CheckedResult => ({
  monitor_id: "m",
  status: "up",
  checked_at,
  latency_ms: 1,
  message: "ok",
  details: {},
  is_settled: false,
  ...changes,
});
const timesOf = (buffer: ResultBuffer) => buffer.oldest(1000).map(({ checked_at }) => checked_at);

describe("the buffer of results", () => {
  it("keeps results in the order in which they were measured, over a kill", () => {
    const buffer = open();
    for (const at of [1, 2, 3]) buffer.add(result(at, { details: { at } }));
    // Nothing was closed: this is what a killed agent leaves.
    const after = open();
    expect(timesOf(after)).toEqual([1, 2, 3]);
    expect(after.oldest(1)).toMatchObject([{ status: "up", details: { at: 1 }, is_settled: false }]);
  });

  it("gives back no result that was removed, over a kill", () => {
    const buffer = open();
    for (const at of [1, 2, 3]) buffer.add(result(at));
    buffer.remove(buffer.oldest(2).map(({ n }) => n));
    expect(timesOf(open())).toEqual([3]);
  });

  it("numbers new results after those that a kill left, so that removing one never removes another", () => {
    open().add(result(1));
    const after = open();
    after.add(result(2));
    after.remove(after.oldest(1).map(({ n }) => n));
    expect(timesOf(open())).toEqual([2]);
  });

  it("ignores a line that was being written when the agent was killed", () => {
    const buffer = open();
    buffer.add(result(1));
    appendFileSync(path, '{"n":2,"monitor_id":"m","sta');
    const after = open();
    expect(timesOf(after)).toEqual([1]);
    after.add(result(3));
    expect(timesOf(open())).toEqual([1, 3]);
  });

  it("drops settled successes first and oldest first when it is full, and never a failure while there is one", () => {
    const buffer = open({ resultsMax: 5, staleLinesMax: 100 });
    const dropped = [
      buffer.add(result(1, { status: "down" })),
      buffer.add(result(2, { is_settled: true })),
      buffer.add(result(3)),
      buffer.add(result(4, { is_settled: true })),
      buffer.add(result(5, { is_settled: true })),
      buffer.add(result(6, { status: "down" })),
      buffer.add(result(7)),
    ];
    expect(dropped).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(timesOf(buffer)).toEqual([1, 3, 5, 6, 7]);
    expect(timesOf(open())).toEqual([1, 3, 5, 6, 7]);
  });

  it("drops the oldest when there is nothing else to drop", () => {
    const buffer = open({ resultsMax: 2, staleLinesMax: 100 });
    for (const at of [1, 2, 3, 4]) buffer.add(result(at, { status: "down" }));
    expect(timesOf(buffer)).toEqual([3, 4]);
  });

  it("is readable by its owner alone", () => {
    open().add(result(1));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("does not grow without end while results come and go", () => {
    const buffer = open({ resultsMax: 100, staleLinesMax: 50 });
    for (let at = 1; at <= 1000; at++) {
      buffer.add(result(at));
      buffer.remove(buffer.oldest(1).map(({ n }) => n));
    }
    expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(120);
    expect(buffer.size).toBe(0);
  });

  it("keeps results in memory when the disk takes none", () => {
    const faults: unknown[] = [];
    writeFileSync(join(dir, "file"), "");
    const buffer = new ResultBuffer(join(dir, "file", "results.jsonl"), (error) => faults.push(error));
    buffer.add(result(1));
    expect(timesOf(buffer)).toEqual([1]);
    expect(faults.length).toBeGreaterThan(0);
  });
});
