import { describe, expect, it } from "vitest";
import type { CheckOutcome } from "../contract/check.ts";
import { REGION_POLICIES, type RegionPolicy } from "../contract/monitor-values.ts";
import { addToRound, computeVerdict, type Round, type RoundResult, summarizeRound, type Verdict } from "./rounds.ts";

const REGIONS = ["weur", "enam", "apac", "sam"];
const OUTCOME = { S: "success", L: "slow", F: "failure", E: "error" } as const satisfies Record<string, CheckOutcome>;
type Letter = keyof typeof OUTCOME;

/** "SF-": weur succeeded, enam failed, apac is missing. */
function readResults(letters: string): Record<string, { outcome: CheckOutcome }> {
  const results: Record<string, { outcome: CheckOutcome }> = {};
  for (const [index, letter] of [...letters].entries()) {
    if (letter !== "-") results[REGIONS[index] ?? "?"] = { outcome: OUTCOME[letter as Letter] };
  }
  return results;
}

function verdictOf(letters: string, region_policy: RegionPolicy): Verdict | null {
  return computeVerdict(readResults(letters), { regions: REGIONS.slice(0, letters.length), region_policy });
}

describe("verdict of a round", () => {
  const rows: [letters: string, majority: Verdict | null, any: Verdict | null, all: Verdict | null][] = [
    ["S", "success", "success", "success"],
    ["L", "slow", "slow", "slow"],
    ["F", "failure", "failure", "failure"],
    ["E", null, null, null],
    ["-", null, null, null],
    ["FS", "success", "failure", "success"],
    ["FF", "failure", "failure", "failure"],
    ["F-", null, "failure", null],
    ["S-", "success", null, "success"],
    ["L-", null, null, null],
    ["FE", "failure", "failure", "failure"],
    ["SE", "success", "success", "success"],
    ["FSS", "success", "failure", "success"],
    ["FFS", "failure", "failure", "success"],
    ["FFF", "failure", "failure", "failure"],
    ["F--", null, "failure", null],
    ["FF-", "failure", "failure", null],
    ["S--", null, null, "success"],
    ["SS-", "success", null, "success"],
    ["FS-", null, "failure", "success"],
    ["SSS", "success", "success", "success"],
    ["LSS", "success", "slow", "success"],
    ["LLS", "slow", "slow", "success"],
    ["LLL", "slow", "slow", "slow"],
    ["LL-", "slow", null, null],
    ["LS-", null, null, "success"],
    ["LFS", "slow", "failure", "success"],
    ["FLL", "slow", "failure", "slow"],
    ["FSE", "success", "failure", "success"],
    ["FFE", "failure", "failure", "failure"],
    ["FEE", "failure", "failure", "failure"],
    ["EEE", null, null, null],
    ["FE-", null, "failure", null],
    ["FFSS", "success", "failure", "success"],
    ["FFFS", "failure", "failure", "success"],
  ];
  it.each(rows)("of %s is %s by majority, %s under any, %s under all", (letters, majority, any, all) => {
    expect([verdictOf(letters, "majority"), verdictOf(letters, "any"), verdictOf(letters, "all")]).toEqual([
      majority,
      any,
      all,
    ]);
  });

  const counted: [letters: string, two: Verdict | null][] = [
    ["F", "failure"],
    ["FS", "success"],
    ["FF", "failure"],
    ["F-", null],
    ["S-", "success"],
    ["FE", "failure"],
    ["FFS", "failure"],
    ["FF-", "failure"],
    ["F-S", null],
    ["FES", "success"],
    ["LFS", "slow"],
    ["FFSS", "failure"],
    ["FSSS", "success"],
    ["EE", null],
  ];
  it.each(counted)("of %s is %s under at_least:2, which all suffice for where fewer could check", (letters, two) => {
    expect(verdictOf(letters, "at_least:2")).toBe(two);
  });

  it.each(REGION_POLICIES)("falls under %s exactly when no missing region can change it", (policy) => {
    for (const size of [1, 2, 3, 4]) {
      for (const letters of listRounds(size, "SLFE-")) {
        const endings = new Set(listCompletions(letters).map((complete) => verdictByShare(complete, policy)));
        const [only = null] = endings;
        expect([letters, verdictOf(letters, policy)]).toEqual([letters, endings.size === 1 ? only : null]);
      }
    }
  });

  it("ignores regions that are no longer asked", () => {
    expect(computeVerdict(readResults("FFS"), { regions: ["apac"], region_policy: "any" })).toBe("success");
  });
});

function listRounds(size: number, alphabet: string): string[] {
  if (size === 0) return [""];
  return listRounds(size - 1, alphabet).flatMap((start) => [...alphabet].map((letter) => start + letter));
}

function listCompletions(letters: string): string[] {
  if (!letters.includes("-")) return [letters];
  return [..."SLFE"].flatMap((letter) => listCompletions(letters.replace("-", letter)));
}

/** The policy in its own words, over the answers of a complete round. */
function verdictByShare(letters: string, policy: RegionPolicy): Verdict | null {
  const answers = letters.replaceAll("E", "");
  const tolerated = toleratedBy(policy, answers.length);
  if (answers === "") return null;
  if (answers.replaceAll(/[SL]/g, "").length > tolerated) return "failure";
  return answers.replaceAll("S", "").length > tolerated ? "slow" : "success";
}

function toleratedBy(policy: RegionPolicy, answers: number): number {
  if (policy === "majority") return answers / 2;
  if (policy === "any") return 0;
  if (policy === "all") return answers - 1;
  return Math.min(Number(policy.slice("at_least:".length)), answers) - 1;
}

describe("collecting a round", () => {
  const rules = { regions: ["weur", "enam", "apac"], region_policy: "majority" } as const;
  const result = (change: Partial<RoundResult>): RoundResult => ({
    region: "weur",
    slot_at: 60,
    attempt: 0,
    outcome: "failure",
    checked_at: 61,
    latency_ms: null,
    message: "refused",
    ...change,
  });
  const collect = (...results: RoundResult[]): Round | null =>
    results.reduce<Round | null>((round, next) => addToRound(round, next, rules) ?? round, null);
  const open = collect(result({}));

  const refused: [name: string, change: Partial<RoundResult>][] = [
    ["a repeated result", {}],
    ["a repeated result that says something else", { outcome: "success", checked_at: 99 }],
    ["a result of an earlier slot", { region: "enam", slot_at: 59 }],
    ["a result of an earlier slot's repetition", { region: "enam", slot_at: 59, attempt: 5 }],
    ["a result of a region that is not asked", { region: "default" }],
  ];
  it.each(refused)("refuses %s", (_name, change) => {
    expect(addToRound(open, result(change), rules)).toBeNull();
  });

  it("refuses the scheduled check of a slot once its repetition has begun", () => {
    expect(addToRound(collect(result({ attempt: 1 })), result({ region: "enam" }), rules)).toBeNull();
  });

  it("starts afresh with a later slot or a later attempt", () => {
    for (const change of [{ slot_at: 61 }, { attempt: 1 }]) {
      const round = addToRound(open, result({ ...change, region: "enam", outcome: "success" }), rules);
      expect(round).toEqual({
        slot_at: 60,
        attempt: 0,
        ...change,
        results: { enam: { outcome: "success", checked_at: 61, latency_ms: null, message: "refused" } },
        verdict: null,
        retry: null,
      });
    }
  });

  it("asks the one region default where none is named", () => {
    const unnamed = { regions: [], region_policy: "all" } as const;
    expect(addToRound(null, result({ region: "default" }), unnamed)?.verdict).toBe("failure");
    expect(addToRound(null, result({}), unnamed)).toBeNull();
  });

  it("keeps a late region's result without changing the verdict", () => {
    const decided = collect(result({}), result({ region: "enam" }), result({ region: "apac", outcome: "success" }));
    expect(decided?.verdict).toBe("failure");
    expect(decided?.results.apac?.outcome).toBe("success");
  });

  it("keeps its verdict when the policy changes meanwhile", () => {
    const decided = collect(result({}), result({ region: "enam" }));
    const late = result({ region: "apac", outcome: "success" });
    expect(addToRound(decided, late, { ...rules, region_policy: "all" })?.verdict).toBe("failure");
  });

  it("dates what it found to the first region that found it, in the words of the last", () => {
    const round = collect(
      result({ checked_at: 63, message: "timed out", latency_ms: 9 }),
      result({ region: "apac", outcome: "success", checked_at: 60 }),
      result({ region: "enam", checked_at: 61 }),
    );
    if (round === null) throw new Error("no round");
    expect(summarizeRound(round, "failure")).toEqual({
      region: "weur",
      message: "timed out",
      latency_ms: 9,
      since: 61,
      checked_at: 63,
      regions: ["enam", "weur"],
      first: { message: "refused", evidence: null },
    });
  });
});
