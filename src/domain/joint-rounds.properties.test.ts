import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RULES } from "../../test/support/monitor-script.ts";
import type { CheckOutcome } from "../contract/check.ts";
import type { RegionPolicy } from "../contract/monitor-values.ts";
import {
  decide,
  findRoundDeadline,
  initialState,
  type MonitorInput,
  type MonitorRules,
  type MonitorState,
} from "./monitor-state.ts";

/** One unit of time stands for a second. */
const INTERVAL = 60;
const WAIT = 15;
const LOOK = 3;
const OUTCOME = { S: "success", F: "failure", E: "error" } as const satisfies Record<string, CheckOutcome>;
type Letter = keyof typeof OUTCOME;
/** D: the edge alone fails, and who checks from outside does not. */
type Verdict = "S" | "F" | "D";

/** What one location found in one slot, and when each copy of it arrives; none does of a result that is lost. */
interface Sent {
  location: string;
  slot_at: number;
  letter: Letter;
  arrivals: number[];
}

interface Story {
  rules: MonitorRules;
  sent: Sent[];
  /** Agents that are known to be gone when a round looks for them, although a result of theirs may still arrive. */
  gone: string[];
}

const anyArrival = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 13, max: 150 }) },
);
const anyWord = fc.record({
  letter: fc.constantFrom<Letter>("S", "S", "F", "F", "F", "E"),
  delays: fc.oneof(
    { weight: 8, arbitrary: fc.array(anyArrival, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant<number[]>([]) },
  ),
});
const anyStory: fc.Arbitrary<Story> = fc
  .record({
    regions: fc.subarray(["weur", "enam"]),
    agents: fc.subarray(["agent:a", "agent:b", "agent:c"], { minLength: 1 }),
    region_policy: fc.constantFrom<RegionPolicy>("majority", "any", "all", "at_least:2"),
    confirms_outside: fc.boolean(),
    inside: fc.subarray(["agent:a", "agent:b"]),
    gone: fc.subarray(["agent:a", "agent:b", "agent:c"]),
    failure_threshold: fc.integer({ min: 1, max: 3 }),
    recovery_threshold: fc.integer({ min: 1, max: 3 }),
    slots: fc.array(fc.array(anyWord, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 10 }),
  })
  .map(({ regions, agents, slots, inside, gone, ...policy }) => {
    const locations = [...regions, ...agents];
    const sent = slots.flatMap((words, n) =>
      locations.flatMap((location, place): Sent[] => {
        const slot_at = (n + 1) * INTERVAL;
        const { letter = "S", delays = [] } = words[place] ?? {};
        // No two results arrive in the same instant.
        const offset = n / 100 + place / 1000;
        return [{ location, slot_at, letter, arrivals: delays.map((delay) => slot_at + delay + offset) }];
      }),
    );
    const confirms_outside = policy.confirms_outside && regions.length > 0;
    const joint = { locations: agents, inside, wait_ms: WAIT, look_ms: LOOK };
    return { rules: { ...RULES, ...policy, confirms_outside, regions, agents: joint }, sent, gone };
  });

interface Delivery {
  at: number;
  input: MonitorInput;
}

function deliver({ sent }: Story): Delivery[] {
  const deliveries = sent.flatMap(({ arrivals, ...word }) => arrivals.map((at) => ({ at, input: inputOf(word) })));
  return deliveries.sort((a, b) => a.at - b.at);
}

function inputOf({ location, slot_at, letter }: Omit<Sent, "arrivals">): MonitorInput {
  const found = {
    region: location,
    slot_at,
    checked_at: slot_at,
    outcome: OUTCOME[letter],
    latency_ms: 1,
    message: "",
  };
  if (location.startsWith("agent:")) return { kind: "vote", ...found };
  return { kind: "result", attempt: 0, ...found };
}

/** The object's alarm in miniature: it fires before anything that arrives after the deadline, and looks for the gone first. */
function replay(deliveries: readonly Delivery[], { rules, gone }: Story): { moves: string[]; refused: number } {
  let state: MonitorState = initialState(0);
  const moves: string[] = [];
  let refused = 0;
  const take = (input: MonitorInput, at: number) => {
    const { state: after, transition, accepted } = decide(state, input, rules, at);
    if (transition) moves.push(`${transition.from}-${transition.to} ${at}`);
    if (!accepted) refused += 1;
    state = after;
  };
  for (const { at, input } of [...deliveries, { at: Infinity, input: null }]) {
    let deadline = findRoundDeadline(state, rules);
    while (deadline !== null && deadline < at && state.round) {
      const { slot_at, attempt } = state.round;
      take({ kind: "round_over", slot_at, attempt, gone }, deadline);
      deadline = findRoundDeadline(state, rules);
    }
    if (input) take(input, at);
  }
  return { moves, refused };
}

/**
 * The same without rounds. A slot is open from its first vote until the first vote of a newer slot, for agents until its
 * deadline, and for those that are gone until the look; its verdict is what all endings of the votes that came while it was open agree on.
 */
function judge({ rules, sent, gone }: Story): string[] {
  const first = new Map<number, number>();
  for (const { slot_at, arrivals } of sent) {
    if (arrivals.length === 0) continue;
    first.set(slot_at, Math.min(first.get(slot_at) ?? Infinity, ...arrivals));
  }
  const slots = [...first.keys()]
    .filter((slot) => ![...first].some(([newer, at]) => newer > slot && at < (first.get(slot) ?? 0)))
    .sort((a, b) => a - b);
  const moves: string[] = [];
  let [status, bad, good, before] = ["pending", 0, 0, -Infinity];
  for (const [n, slot] of slots.entries()) {
    const opened = first.get(slot) ?? 0;
    const newer = first.get(slots[n + 1] ?? -1) ?? Infinity;
    const votes = sent.filter((each) => each.slot_at === slot);
    const { verdict, at } = verdictOf(votes, { look: opened + LOOK, deadline: opened + WAIT, newer, gone }, rules);
    if (slot - before > 1.5 * INTERVAL && before > 0 && status !== "down") bad = 0;
    before = slot;
    if (verdict === null) continue;
    const go = (to: string) => {
      moves.push(`${status}-${to} ${at}`);
      [status, bad, good] = [to, 0, 0];
    };
    bad = verdict === "F" ? bad + 1 : 0;
    good = verdict === "F" ? 0 : good + 1;
    if (status !== "down" && bad >= rules.failure_threshold) go("down");
    else if (status === "down" && good >= rules.recovery_threshold) go("up");
    else if (verdict === "S" && (status === "pending" || status === "degraded")) go("up");
    else if (verdict === "D" && (status === "pending" || status === "up")) go("degraded");
  }
  return moves;
}

function verdictOf(
  votes: readonly Sent[],
  ends: { look: number; deadline: number; newer: number; gone: readonly string[] },
  rules: MonitorRules,
): { verdict: Verdict | null; at: number } {
  const arrivalOf = (vote: Sent) => Math.min(...vote.arrivals);
  const letterAt = (vote: Sent, at: number) => {
    const isAgent = vote.location.startsWith("agent:");
    const end = ends.gone.includes(vote.location) ? ends.look : ends.deadline;
    if (arrivalOf(vote) <= (isAgent ? Math.min(at, end) : at)) return vote.letter;
    return isAgent && at >= end ? "E" : "?";
  };
  const moments = [...votes.map(arrivalOf), ends.look, ends.deadline].filter((at) => at < ends.newer);
  for (const at of moments.sort((a, b) => a - b)) {
    const letters = votes.map((vote) => letterAt(vote, at));
    const verdict = agreed(
      letters,
      votes.map(({ location }) => location),
      rules,
    );
    if (verdict !== null) return { verdict, at };
  }
  return { verdict: null, at: Infinity };
}

/** What every completion of the votes leads to, null where they differ. */
function agreed(letters: readonly (Letter | "?")[], locations: readonly string[], rules: MonitorRules): Verdict | null {
  const open = letters.indexOf("?");
  if (open === -1) return confirmed(letters.join(""), locations, rules);
  const endings = (["S", "F", "E"] as const).map((letter) => agreed(letters.with(open, letter), locations, rules));
  return endings.every((ending) => ending === endings[0]) ? (endings[0] ?? null) : null;
}

/** A failure needs an agent outside the edge's network that fails, too, or none that could check. */
function confirmed(letters: string, locations: readonly string[], rules: MonitorRules): Verdict | null {
  const verdict = share(letters, rules.region_policy);
  if (verdict !== "F" || !rules.confirms_outside) return verdict;
  const isOutside = (name: string) => name.startsWith("agent:") && !rules.agents?.inside?.includes(name);
  const outside = [...letters].filter((_, place) => isOutside(locations[place] ?? ""));
  return outside.includes("F") || !outside.includes("S") ? "F" : "D";
}

/** The policy in its own words, over the votes of those that could check. */
function share(letters: string, policy: RegionPolicy): "S" | "F" | null {
  const votes = letters.replaceAll("E", "");
  const failures = votes.replaceAll("S", "").length;
  if (votes === "") return null;
  if (policy === "any") return failures > 0 ? "F" : "S";
  if (policy === "all") return failures === votes.length ? "F" : "S";
  if (policy === "majority") return failures > votes.length / 2 ? "F" : "S";
  return failures >= Math.min(2, votes.length) ? "F" : "S";
}

describe("rounds of edge and agents together", () => {
  it("come to the verdict of the votes that were there in time, in any order, with delay and loss", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        expect(replay(deliver(story), story).moves).toEqual(judge(story));
      }),
      { numRuns: 10_000, seed: 44 },
    );
  });

  it("are not changed by votes that nobody asked for, are said twice or belong to slots that are over", () => {
    fc.assert(
      fc.property(anyStory, fc.nat(), (story, seed) => {
        const deliveries = deliver(story);
        const added = deliveries.flatMap((delivery, n): Delivery[] => {
          const { at, input } = delivery;
          if (input.kind !== "vote" && input.kind !== "result") return [delivery];
          const forged = { ...input, region: `agent:${["x", "y"][seed % 2]}`, outcome: "failure" } as const;
          const old = { ...input, slot_at: input.slot_at - 4 * INTERVAL, outcome: "failure" } as const;
          const extra = [forged, old, input][(n + seed) % 3] ?? forged;
          return [delivery, { at, input: extra }];
        });
        expect(replay(added, story).moves).toEqual(replay(deliveries, story).moves);
      }),
      { numRuns: 3_000, seed: 44 },
    );
  });

  it("wait for nobody longer than they say, and not that long where all who are missing are gone", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        let state = initialState(0);
        for (const { at, input } of deliver(story)) {
          state = decide(state, input, story.rules, at).state;
          const deadline = findRoundDeadline(state, story.rules);
          if (deadline === null || state.round === null) continue;
          expect(deadline).toBeLessThanOrEqual(at + WAIT);
          const { slot_at, attempt, is_looked = false } = state.round;
          const end = { kind: "round_over", slot_at, attempt, gone: story.gone } as const;
          const looked = decide(state, end, story.rules, deadline).state;
          const rest = findRoundDeadline(looked, story.rules);
          expect([null, (state.round.opened_at ?? 0) + WAIT]).toContain(is_looked ? null : rest);
          const found = Object.values(looked.round?.results ?? {});
          const { regions, agents } = story.rules;
          const isWhole = found.length === regions.length + (agents?.locations.length ?? 0);
          if (isWhole && found.some(({ outcome }) => outcome !== "error")) expect(rest).toBeNull();
          const over = rest === null ? looked : decide(looked, end, story.rules, rest).state;
          expect(findRoundDeadline(over, story.rules)).toBeNull();
        }
      }),
      { numRuns: 2_000, seed: 44 },
    );
  });
});
