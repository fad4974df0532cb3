import { type CheckOutcome, DEFAULT_REGION, type StoredEvidence } from "../contract/check.ts";
import { atLeastOf, type RegionPolicy } from "../contract/monitor-values.ts";

/**
 * A round is one check of a monitor in all of its locations, and counts as one result. Its verdict falls as soon as no
 * missing location could change it, and never changes again. A region of the edge is asked for each attempt of a slot and
 * answers; an agent checks by itself and may be gone, so a round with agents is decided by its deadline at the latest.
 */

/** `disputed`: the edge fails, and who checks from outside does not. */
export type Verdict = "success" | "slow" | "failure" | "disputed";

export interface RoundRules {
  /** Those of the edge. Empty means one region, `default`, and where agents vote, none. */
  regions: readonly string[];
  region_policy: RegionPolicy;
  /** An outage needs an agent that fails, too, or none that could check. */
  confirms_outside?: boolean;
  /** The edge alone votes, and an agent of another network is asked before an outage begins, where there is one. */
  asks_outside?: boolean;
  /** The agents that vote, by the names of their locations, and how long a round waits for them; absent: none votes. */
  agents?: {
    locations: readonly string[];
    /** Those among them that are in the edge's own network, whose failure confirms nothing. */
    inside?: readonly string[];
    wait_ms: number;
    /** When it looks before that for those that are known to be gone, and waits for them no longer; absent: never. */
    look_ms?: number;
  };
}

export interface RegionResult {
  outcome: CheckOutcome;
  checked_at: number;
  latency_ms: number | null;
  message: string;
  evidence?: StoredEvidence;
  /** It was given in an earlier attempt of the slot. */
  is_carried?: true;
}

/** What an agent found, which knows its slot and not the attempt that others have come to. */
export interface Vote extends RegionResult {
  region: string;
  slot_at: number;
}

/** `attempt` 0 is the scheduled check of a slot; a repetition keeps the slot_at of what it repeats and counts up. */
export interface RoundResult extends RegionResult {
  region: string;
  slot_at: number;
  attempt: number;
}

export interface Round {
  slot_at: number;
  attempt: number;
  results: Readonly<Record<string, RegionResult>>;
  verdict: Verdict | null;
  /** The repetition that a failure in this round asked for, and whose result asked; null: its deadline. */
  retry: { region: string | null; at: number } | null;
  /** The outage that its verdict opened before all of its locations had reported. */
  opened_seq?: number;
  /** When its first result arrived; absent where no agent votes. */
  opened_at?: number;
  /** Those that are known to be gone were looked for. */
  is_looked?: true;
  /** Its deadline has passed, so that nobody is waited for any more. */
  is_over?: true;
}

/** The round with one more result in it, or null if the result is repeated, older than the round or from a location that is not asked. */
export function addToRound(current: Round | null, result: RoundResult, rules: RoundRules): Round | null {
  const { region, slot_at, attempt, outcome, checked_at, latency_ms, message, evidence } = result;
  if (!listLocations(rules).includes(region)) return null;
  const age = current === null ? 1 : slot_at - current.slot_at || attempt - current.attempt;
  if (age < 0) return null;
  const found = { outcome, checked_at, latency_ms, message, ...(evidence && { evidence }) };
  if (current === null || age > 0) {
    const results = { ...(current?.slot_at === slot_at && listCarried(current, rules)), [region]: found };
    return { slot_at, attempt, results, verdict: computeVerdict(results, rules), retry: null };
  }
  if (Object.hasOwn(current.results, region) && !isReplacing(current, result)) return null;
  const results = { ...current.results, [region]: found };
  return { ...current, results, verdict: current.verdict ?? computeVerdict(results, rules) };
}

/** A location's own result takes the place of the one that was carried into the attempt. */
function isReplacing({ results }: Round, { region, checked_at }: RoundResult): boolean {
  const former = results[region];
  return former?.is_carried === true && checked_at > former.checked_at;
}

/**
 * The votes of agents that still hold in the next attempt of the slot. An agent repeats a failure by itself and a success
 * not before the next slot, so its success outlasts a failed attempt. What an attempt without a verdict found was not
 * counted yet; after a success everything is asked anew.
 */
function listCarried({ results, verdict }: Round, { agents }: RoundRules): Record<string, RegionResult> {
  const carried: Record<string, RegionResult> = {};
  for (const location of agents?.locations ?? []) {
    const result = results[location];
    if (result === undefined || result.outcome === "error") continue;
    const holds = verdict === null || (verdict === "failure" && result.outcome !== "failure");
    if (holds) carried[location] = { ...result, is_carried: true };
  }
  return carried;
}

/**
 * The attempt that an agent's vote belongs to. It votes once in each; its next check of the same slot is a repetition, and
 * begins the next attempt where the present one is decided or over. A failure from before the attempt's time belonged to an
 * earlier one, which is history, and so is what comes from a location that was counted as absent.
 */
export function placeVote(current: Round | null, vote: Vote, { toleranceMs }: { toleranceMs: number }): RoundResult {
  if (current === null || current.slot_at !== vote.slot_at) return { ...vote, attempt: 0 };
  const { attempt, results, verdict, is_over = false } = current;
  const own = results[vote.region];
  if (own === undefined || own.is_carried) {
    const isEarlier = attempt > 0 && vote.outcome === "failure" && vote.checked_at < earliestOwn(current) - toleranceMs;
    return { ...vote, attempt: isEarlier ? attempt - 1 : attempt };
  }
  const isRepetition = own.outcome !== "error" && vote.checked_at > own.checked_at && (verdict !== null || is_over);
  return { ...vote, attempt: isRepetition ? attempt + 1 : attempt };
}

/** When the first check of the attempt itself began. */
function earliestOwn({ results }: Round): number {
  const own = Object.values(results).filter(({ is_carried }) => !is_carried);
  return Math.min(...own.map(({ checked_at }) => checked_at));
}

/** When the locations that are missing then abstain, or those that are gone; null where nobody has to be waited for. */
export function findDeadline(round: Round | null, { agents, ...rules }: RoundRules): number | null {
  if (!agents || round?.opened_at === undefined || round.is_over) return null;
  const isWaiting = round.verdict === null || (round.opened_seq !== undefined && !isWhole(round, { agents, ...rules }));
  if (!isWaiting) return null;
  const { wait_ms, look_ms = wait_ms } = agents;
  return round.opened_at + (round.is_looked ? wait_ms : Math.min(look_ms, wait_ms));
}

/** A round short of its deadline, at which those that are known to be gone abstain already. */
export function excuseGone(round: Round, gone: readonly string[], rules: RoundRules, now: number): Round {
  const agents = rules.agents?.locations ?? [];
  return {
    ...withAbsent(
      round,
      gone.filter((location) => agents.includes(location)),
      rules,
      now,
    ),
    is_looked: true,
  };
}

/**
 * The round at its deadline, at which who has not voted abstains.
 * Choice: a region of the edge does not abstain from a scheduled check, because the service keeps the successes of a settled
 * monitor to itself; the repetition, in which every region reports, decides such a round.
 */
export function closeRound(round: Round, rules: RoundRules, now: number): Round {
  const abstaining = round.attempt === 0 ? (rules.agents?.locations ?? []) : listLocations(rules);
  return { ...withAbsent(round, abstaining, rules, now), is_over: true };
}

function withAbsent(round: Round, abstaining: readonly string[], rules: RoundRules, now: number): Round {
  const absent: RegionResult = { outcome: "error", checked_at: now, latency_ms: null, message: "no result in time" };
  const missing = abstaining.filter((location) => !Object.hasOwn(round.results, location));
  const results = { ...round.results, ...Object.fromEntries(missing.map((location) => [location, absent])) };
  return { ...round, results, verdict: round.verdict ?? computeVerdict(results, rules) };
}

/**
 * Choice: a region that could not check abstains, so the policy is applied to the regions that could; otherwise one
 * broken checker would hide every outage under `all` and every recovery under `any`. Likewise `at_least:<n>` asks no more
 * of them than that all fail.
 * Choice: a failing region counts as slow, too: where one region fails and one is slow, two of three did not find it fast.
 */
export function computeVerdict(
  results: Readonly<Record<string, { outcome: CheckOutcome }>>,
  rules: RoundRules,
): Verdict | null {
  const counts = { success: 0, slow: 0, failure: 0, error: 0, missing: 0 };
  for (const location of listLocations(rules)) counts[results[location]?.outcome ?? "missing"] += 1;
  const { success, slow, failure, missing } = counts;
  const hasFailed = isExceeded({ bad: failure, good: success + slow, missing }, rules.region_policy);
  if (hasFailed !== false) return hasFailed ? confirmOutside(results, rules) : null;
  const isSlow = isExceeded({ bad: failure + slow, good: success, missing }, rules.region_policy);
  if (isSlow === null) return null;
  return isSlow ? "slow" : "success";
}

/**
 * A failure that edge and agents found together is one where an agent failed, or none could check; null while one could
 * still do so.
 */
function confirmOutside(
  results: Readonly<Record<string, { outcome: CheckOutcome }>>,
  { confirms_outside = false, agents }: RoundRules,
): Verdict | null {
  if (!confirms_outside || !agents) return "failure";
  const outside = agents.locations.filter((location) => !agents.inside?.includes(location));
  const outcomes = outside.map((location) => results[location]?.outcome);
  if (outcomes.includes("failure")) return "failure";
  if (outcomes.includes(undefined)) return null;
  return outcomes.every((outcome) => outcome === "error") ? "failure" : "disputed";
}

/** Whether the bad regions are more than the policy tolerates; null while missing regions could still tip it. */
function isExceeded(count: { bad: number; good: number; missing: number }, policy: RegionPolicy): boolean | null {
  const { bad, good, missing } = count;
  if (bad + good === 0) return null;
  switch (policy) {
    case "majority":
      if (bad > good + missing) return true;
      return bad + missing <= good ? false : null;
    case "any":
      if (bad > 0) return true;
      return missing === 0 ? false : null;
    case "all":
      if (good > 0) return false;
      return missing === 0 ? true : null;
    default: {
      const wanted = atLeastOf(policy) ?? 1;
      if (bad >= wanted) return true;
      if (good === 0) return missing === 0 ? true : null;
      return bad + missing < wanted ? false : null;
    }
  }
}

export interface RoundSummary extends Omit<RegionResult, "outcome" | "checked_at" | "evidence"> {
  region: string | null;
  /** Every region that agrees with the verdict, in the order of their checks. */
  regions: string[];
  /** The check that agreed first. */
  first: { message: string; evidence: StoredEvidence | null };
  /** When what was found began to be so. */
  since: number;
  /** When the check of `region` began; null where no check found it. */
  checked_at: number | null;
}

/** When what the round found began to be so: the earliest check that agrees with the verdict. */
export function findSince(round: Round, verdict: Verdict): number {
  return agreeingWith(round, verdict)[0]?.[1].checked_at ?? Infinity;
}

/**
 * By the time of their checks. A success that was carried out of a failed attempt is older than what it now agrees with, so
 * it counts only where nobody found it later.
 */
function agreeingWith({ results }: Round, verdict: Verdict): [location: string, RegionResult][] {
  const agreed = verdict === "disputed" ? "failure" : verdict;
  const agreeing = Object.entries(results)
    .filter(([, { outcome }]) => outcome === agreed)
    .sort(([, a], [, b]) => a.checked_at - b.checked_at);
  const own = agreeing.filter(([, { is_carried }]) => verdict === "failure" || !is_carried);
  return own.length > 0 ? own : agreeing;
}

/** What the round found: since the earliest check that agrees with the verdict, in the words of the latest one. */
export function summarizeRound(round: Round, verdict: Verdict): RoundSummary {
  const agreeing = agreeingWith(round, verdict);
  const [first, last] = [agreeing.at(0), agreeing.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`a ${verdict} round holds no ${verdict} result`);
  const [region, { message: found, latency_ms, checked_at }] = last;
  const message = verdict === "disputed" ? disputedMessage(found) : found;
  const [, { checked_at: since, message: firstMessage, evidence = null }] = first;
  const regions = agreeing.map(([name]) => name);
  return { region, regions, message, latency_ms, checked_at, since, first: { message: firstMessage, evidence } };
}

export const disputedMessage = (found: string) => `unreachable from Cloudflare only: ${found}`;

/** The locations that agree with the verdict, once every location has reported; null until then. */
export function listAgreeing(round: Round, rules: RoundRules): string[] | null {
  if (!isWhole(round, rules)) return null;
  const agreeing = Object.entries(round.results).filter(([, { outcome }]) => outcome === round.verdict);
  return agreeing.sort(([, a], [, b]) => a.checked_at - b.checked_at).map(([location]) => location);
}

/** The locations that failed, once every location of several has reported; null until then. */
export function listFailing(round: Round, rules: RoundRules): string[] | null {
  return listLocations(rules).length > 1 && isWhole(round, rules) ? listFailed(round, rules) : null;
}

/** The locations of several that failed, of those that have not reported the ones that did `before`. */
export function listFailed({ results }: Round, rules: RoundRules, before: readonly string[] = []): string[] {
  const locations = listLocations(rules);
  if (locations.length < 2) return [];
  return locations.filter((location) => {
    const { outcome } = results[location] ?? {};
    return outcome === undefined ? before.includes(location) : outcome === "failure";
  });
}

function isWhole({ results }: Round, rules: RoundRules): boolean {
  return listLocations(rules).every((location) => results[location] !== undefined);
}

export function listLocations({ regions, agents }: RoundRules): readonly string[] {
  if (agents) return [...regions, ...agents.locations];
  return regions.length > 0 ? regions : [DEFAULT_REGION];
}
