import { type CheckOutcome, DEFAULT_REGION, type StoredEvidence } from "../contract/check.ts";
import { atLeastOf, type RegionPolicy } from "../contract/monitor-values.ts";

/**
 * A round is one check of a monitor in all of its regions, and counts as one result. Its verdict falls as soon as no
 * missing region could change it, so it needs no timer and never changes again.
 */

export type Verdict = "success" | "slow" | "failure";

export interface RoundRules {
  /** Empty means one region, `default`. */
  regions: readonly string[];
  region_policy: RegionPolicy;
}

export interface RegionResult {
  outcome: CheckOutcome;
  checked_at: number;
  latency_ms: number | null;
  message: string;
  evidence?: StoredEvidence;
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
  /** The repetition that a failure in this round asked for, and whose result asked. */
  retry: { region: string; at: number } | null;
  /** The outage that its verdict opened before all of its regions had reported. */
  opened_seq?: number;
}

/** The round with one more result in it, or null if the result is repeated, older than the round or from a region that is not asked. */
export function addToRound(current: Round | null, result: RoundResult, rules: RoundRules): Round | null {
  const { region, slot_at, attempt, outcome, checked_at, latency_ms, message, evidence } = result;
  if (!listRegions(rules).includes(region)) return null;
  const age = current === null ? 1 : slot_at - current.slot_at || attempt - current.attempt;
  if (age < 0) return null;
  const found = { outcome, checked_at, latency_ms, message, ...(evidence && { evidence }) };
  if (current === null || age > 0) {
    const results = { [region]: found };
    return { slot_at, attempt, results, verdict: computeVerdict(results, rules), retry: null };
  }
  if (Object.hasOwn(current.results, region)) return null;
  const results = { ...current.results, [region]: found };
  return { ...current, results, verdict: current.verdict ?? computeVerdict(results, rules) };
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
  for (const region of listRegions(rules)) counts[results[region]?.outcome ?? "missing"] += 1;
  const { success, slow, failure, missing } = counts;
  const hasFailed = isExceeded({ bad: failure, good: success + slow, missing }, rules.region_policy);
  if (hasFailed !== false) return hasFailed ? "failure" : null;
  const isSlow = isExceeded({ bad: failure + slow, good: success, missing }, rules.region_policy);
  if (isSlow === null) return null;
  return isSlow ? "slow" : "success";
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
export function findSince({ results }: Round, verdict: Verdict): number {
  let since = Infinity;
  for (const { outcome, checked_at } of Object.values(results)) {
    if (outcome === verdict) since = Math.min(since, checked_at);
  }
  return since;
}

/** What the round found: since the earliest check that agrees with the verdict, in the words of the latest one. */
export function summarizeRound(round: Round, verdict: Verdict): RoundSummary {
  const agreeing = Object.entries(round.results)
    .filter(([, result]) => result.outcome === verdict)
    .sort(([, a], [, b]) => a.checked_at - b.checked_at);
  const [first, last] = [agreeing.at(0), agreeing.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`a ${verdict} round holds no ${verdict} result`);
  const [region, { message, latency_ms, checked_at }] = last;
  const [, { checked_at: since, message: firstMessage, evidence = null }] = first;
  const regions = agreeing.map(([name]) => name);
  return { region, regions, message, latency_ms, checked_at, since, first: { message: firstMessage, evidence } };
}

/** The regions that agree with the verdict, once every region has reported; null until then. */
export function listAgreeing({ results, verdict }: Round, rules: RoundRules): string[] | null {
  if (listRegions(rules).some((region) => results[region] === undefined)) return null;
  const agreeing = Object.entries(results).filter(([, { outcome }]) => outcome === verdict);
  return agreeing.sort(([, a], [, b]) => a.checked_at - b.checked_at).map(([region]) => region);
}

function listRegions(rules: RoundRules): readonly string[] {
  return rules.regions.length > 0 ? rules.regions : [DEFAULT_REGION];
}
