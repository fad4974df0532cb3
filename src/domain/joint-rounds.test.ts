import { describe, expect, it } from "vitest";
import { OUTCOME, RULES } from "../../test/support/monitor-script.ts";
import { decide, findRoundDeadline, initialState, type MonitorInput, type MonitorRules } from "./monitor-state.ts";
import { placeVote, type Round } from "./rounds.ts";

/** One unit of time stands for a second. */
const WAIT = 15;
const AGENTS: MonitorRules = {
  ...RULES,
  failure_threshold: 3,
  regions: [],
  agents: { locations: ["agent:a", "agent:b", "agent:c"], wait_ms: WAIT },
};
const ALL: MonitorRules = {
  ...AGENTS,
  region_policy: "all",
  agents: { locations: ["agent:a", "agent:b", "agent:c"], wait_ms: WAIT, look_ms: 3 },
};
const MIXED: MonitorRules = {
  ...RULES,
  regions: ["weur", "enam"],
  agents: { locations: ["agent:a"], wait_ms: WAIT },
};

const OUTSIDE: MonitorRules = {
  ...RULES,
  failure_threshold: 1,
  regions: ["weur", "enam", "apac"],
  confirms_outside: true,
  agents: { locations: ["agent:a"], wait_ms: WAIT, look_ms: 3 },
};

/** "61 aF": at second 61 the failure of agent a arrives; "80 weur1S": a success of weur in attempt 1; "76 !": the deadline; "63 ?c": agent c is gone. */
function play(script: readonly string[], rules: MonitorRules): string[] {
  let state = initialState(0);
  return script.map((line) => {
    const [time = "", word = ""] = line.split(" ");
    const now = Number(time);
    const input = "!?".includes(word.charAt(0)) ? endOf(state.round, word.slice(1)) : inputOf(word, now);
    const { state: after, transition, accepted } = decide(state, input, rules, now);
    state = after;
    if (transition) return `${line}: ${transition.to} since ${transition.effective_at}`;
    const { round, run } = state;
    return `${line}: ${accepted ? `${round?.attempt} ${round?.verdict ?? "open"} ${run?.count ?? 0}` : "nothing"}`;
  });
}

function endOf(round: Round | null, gone = ""): MonitorInput {
  if (round === null) throw new Error("no round to end");
  return {
    kind: "round_over",
    slot_at: round.slot_at,
    attempt: round.attempt,
    gone: [...gone].map((name) => `agent:${name}`),
  };
}

function inputOf(word: string, now: number): MonitorInput {
  const slot_at = Math.floor(now / 60) * 60;
  const found = { slot_at, checked_at: now, latency_ms: 1, message: "" };
  const outcome = OUTCOME[word.slice(-1) as keyof typeof OUTCOME];
  const place = word.slice(0, -1);
  if (place.length === 1) return { kind: "vote", region: `agent:${place}`, outcome, ...found };
  return { kind: "result", region: place.slice(0, -1), attempt: Number(place.slice(-1)), outcome, ...found };
}

describe("rounds in which agents vote", () => {
  const stories: [name: string, rules: MonitorRules, lines: string[]][] = [
    [
      "are decided by two of three agents, and an agent's repetition is the next attempt",
      AGENTS,
      [
        "60 aF: 0 open 0",
        "61 bF: 0 failure 1",
        "80 aF: 1 open 1",
        "81 bF: 1 failure 2",
        "100 bF: 2 open 2",
        "101 aF: down since 60",
      ],
    ],
    [
      "do not wait for an agent that is gone",
      ALL,
      [
        "60 aF: 0 open 0",
        "61 bF: 0 open 0",
        "63 ?c: 0 failure 1",
        "80 aF: 1 open 1",
        "81 bF: 1 open 1",
        "83 ?c: 1 failure 2",
        "100 aF: 2 open 2",
        "101 bF: 2 open 2",
        "103 ?c: down since 60",
      ],
    ],
    [
      "wait for an agent that is late and not gone",
      ALL,
      ["60 aF: 0 open 0", "61 bF: 0 open 0", "63 ?: 0 open 0", "70 cS: up since 70"],
    ],
    [
      "count an agent once in an attempt, however often it repeats its failure",
      AGENTS,
      ["60 aF: 0 open 0", "65 aF: nothing", "70 aF: nothing", "75 !: 0 failure 1", "80 aF: 1 open 1", "85 aF: nothing"],
    ],
    [
      "keep the success of an agent for the attempts in which the others repeat their failure",
      AGENTS,
      ["60 cS: 0 open 0", "61 aF: 0 open 0", "62 bF: 0 failure 1", "80 aF: 1 open 1", "81 bS: up since 81"],
    ],
    [
      "do not count the failure of an agent again that does not repeat it",
      AGENTS,
      ["60 aF: 0 open 0", "61 bF: 0 failure 1", "80 aF: 1 open 1", "81 cS: 1 open 1", "95 !: up since 81"],
    ],
    [
      "ask everybody anew after a success",
      { ...AGENTS, recovery_threshold: 2 },
      ["60 aS: 0 open 0", "61 bS: up since 60", "62 aS: 1 open 0", "63 bS: 1 success 0"],
    ],
    [
      "join the repetition that the edge was asked for with what an agent has found before",
      MIXED,
      ["60 aF: 0 open 0", "80 weur1F: 1 failure 1", "81 enam1S: 1 failure 1", "82 aS: 1 failure 1"],
    ],
    [
      "take an agent's own word for the one that was carried along",
      MIXED,
      ["60 aF: 0 open 0", "80 weur1S: 1 open 0", "81 aS: up since 80"],
    ],
    [
      "do not take a lone agent's word where regions of the edge may have succeeded unheard",
      MIXED,
      ["60 aF: 0 open 0", "75 !: 0 open 0", "80 weur1S: 1 open 0", "81 enam1S: up since 80"],
    ],
    [
      "are decided without the regions of the edge where those did not repeat either",
      { ...MIXED, failure_threshold: 1 },
      ["60 aF: 0 open 0", "75 !: 0 open 0", "80 aF: 1 open 0", "95 !: down since 80"],
    ],
    [
      "are degraded where an agent reaches what the edge does not",
      OUTSIDE,
      [
        "60 weur0S: 0 open 0",
        "60 enam0S: up since 60",
        "120 weur0F: 0 open 0",
        "120 enam0F: 0 open 0",
        "120 apac0F: 0 open 0",
        "121 aS: degraded since 120",
        "180 aS: 0 open 0",
        "181 weur0S: up since 180",
      ],
    ],
    [
      "are an outage of the edge once an agent agrees",
      OUTSIDE,
      ["60 weur0F: 0 open 0", "60 enam0F: 0 open 0", "60 apac0F: 0 open 0", "61 aF: down since 60"],
    ],
    [
      "are an outage of the edge where the agent could not check",
      OUTSIDE,
      ["60 weur0F: 0 open 0", "60 enam0F: 0 open 0", "60 apac0F: 0 open 0", "61 aE: down since 60"],
    ],
    [
      "are an outage of the edge where the agent is gone",
      OUTSIDE,
      ["60 weur0F: 0 open 0", "60 enam0F: 0 open 0", "60 apac0F: 0 open 0", "63 ?a: down since 60"],
    ],
    [
      "take what comes after the deadline for history",
      AGENTS,
      ["60 aS: 0 open 0", "75 !: up since 60", "76 bF: nothing", "77 cF: nothing"],
    ],
  ];
  it.each(stories)("%s", (_name, rules, lines) => {
    const script = lines.map((line) => line.slice(0, line.indexOf(":")));
    expect(play(script, rules)).toEqual(lines);
  });

  it("announce the locations of an outage when the last has voted or its time is over", () => {
    const rules = { ...AGENTS, failure_threshold: 1 };
    let state = initialState(0);
    for (const word of ["aF", "bF"]) state = decide(state, inputOf(word, 60), rules, 60).state;
    expect([state.status, findRoundDeadline(state, rules)]).toEqual(["down", 60 + WAIT]);
    const { completed, transition } = decide(state, endOf(state.round), rules, 60 + WAIT);
    expect([completed, transition]).toEqual([{ seq: 1, regions: ["agent:a", "agent:b"] }, null]);
  });

  it("are repeated when a repetition is decided by the absence of one", () => {
    const rules: MonitorRules = {
      ...MIXED,
      regions: ["weur"],
      region_policy: "all",
      agents: { locations: ["agent:a", "agent:b"], wait_ms: WAIT, look_ms: 3 },
      schedule: { interval_ms: 60, retry_interval_ms: 20 },
    };
    let state = initialState(0);
    const retries = ["60 weur0F", "61 aF", "63 ?b", "80 weur1F", "81 aF", "83 ?b"].map((line) => {
      const [time = "", word = ""] = line.split(" ");
      const input = word.startsWith("?") ? endOf(state.round, word.slice(1)) : inputOf(word, Number(time));
      const decision = decide(state, input, rules, Number(time));
      state = decision.state;
      return decision.retry_at;
    });
    expect(retries).toEqual([80, null, null, null, null, 103]);
  });

  it("have no deadline where only the edge votes", () => {
    const rules: MonitorRules = { ...RULES, regions: ["weur", "enam"] };
    const { state } = decide(initialState(0), inputOf("weur0F", 60), rules, 60);
    expect(state.round).not.toHaveProperty("opened_at");
    expect(findRoundDeadline(state, rules)).toBeNull();
  });

  it("take a failure from before a repetition for history", () => {
    const results = { "agent:a": { outcome: "failure", checked_at: 80, latency_ms: null, message: "" } } as const;
    const round: Round = { slot_at: 60, attempt: 1, results, verdict: null, retry: null };
    const vote = { region: "agent:b", slot_at: 60, latency_ms: null, message: "" };
    const attemptOf = (checked_at: number, outcome: "success" | "failure") =>
      placeVote(round, { ...vote, checked_at, outcome }, { toleranceMs: 10 }).attempt;
    expect([attemptOf(69, "failure"), attemptOf(70, "failure"), attemptOf(60, "success")]).toEqual([0, 1, 1]);
  });
});
