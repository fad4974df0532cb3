import { describe, expect, it } from "vitest";
import type { Heartbeat } from "../contract/push.ts";
import { evaluateHeartbeat, type OpenRun } from "./heartbeat.ts";

const beat = (fields: Partial<Heartbeat> = {}): Heartbeat => ({
  status: "ok",
  message: null,
  duration_ms: null,
  exit_code: null,
  run_id: null,
  ...fields,
});
const open: OpenRun[] = [
  { id: "a", at: 100 },
  { id: null, at: 200 },
];

describe("a beat", () => {
  it.each<[string, Partial<Heartbeat>, ReturnType<typeof evaluateHeartbeat>["outcome"]]>([
    ["without a word is a success", {}, "success"],
    ["with exit code 0 is a success", { exit_code: 0 }, "success"],
    ["that says fail is a failure", { status: "fail" }, "failure"],
    ["with another exit code is a failure, whatever it says", { status: "ok", exit_code: 1 }, "failure"],
    ["that starts a run decides nothing", { status: "start" }, null],
    ["that logs decides nothing, even with an exit code", { status: "log", exit_code: 1 }, null],
  ])("%s", (_name, fields, outcome) => {
    expect(evaluateHeartbeat(beat(fields), [], 0).outcome).toBe(outcome);
  });

  it.each<[string, Partial<Heartbeat>, number | null, (string | null)[]]>([
    ["ends the run of its id, which took until now", { run_id: "a" }, 900, [null]],
    ["ends a run without an id when it has none", {}, 800, ["a"]],
    ["knows better how long it took", { run_id: "a", duration_ms: 5 }, 5, [null]],
    ["of an unknown run ends none", { run_id: "b" }, null, ["a", null]],
    ["that fails ends its run, too", { run_id: "a", status: "fail" }, 900, [null]],
    ["that logs leaves all runs open", { run_id: "a", status: "log" }, null, ["a", null]],
    ["that starts a known run starts it anew", { run_id: "a", status: "start" }, null, [null, "a"]],
  ])("%s", (_name, fields, duration_ms, runs) => {
    const read = evaluateHeartbeat(beat(fields), open, 1000);
    expect(read.duration_ms).toBe(duration_ms);
    expect(read.runs.map(({ id }) => id)).toEqual(runs);
  });

  it("opens at most twenty runs at a time and forgets the oldest", () => {
    let runs: OpenRun[] = [];
    for (let n = 0; n < 25; n++) runs = evaluateHeartbeat(beat({ status: "start", run_id: String(n) }), runs, n).runs;
    expect(runs.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, n) => n + 5));
  });
});
