import type { Scope } from "../access/scope.ts";
import { type CheckerJob, type CheckerOutcome, CheckerResponse } from "../contract/checker.ts";
import { journeySeconds } from "../contract/journey.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { isRecord } from "../lib/is-record.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { now } from "../platform/clock.ts";
import { findChecker } from "../platform/env.ts";
import { countUnits } from "../platform/usage.ts";
import { failedCheck } from "../probes/run.ts";
import { NO_NETWORK } from "./canaries.ts";
import { CONNECTIONS, runJobs } from "./probe-check.ts";

/** For the way to the region and back. */
const TRAVEL_MS = 10 * SECOND_MS;
const TIMEOUT_MAX_S = 30;

/**
 * Checks from a region: by its checker Worker, or from here where none is bound, as under `npm start`. A checker that does
 * not respond has checked nothing, so its results count for neither side.
 */
export async function checkFrom<Done>(
  scope: Pick<Scope, "env" | "settings" | "log">,
  { region, jobs }: { region: string; jobs: readonly CheckerJob[] },
  finish: (outcome: CheckerOutcome, place: number) => Promise<Done>,
): Promise<Done[]> {
  const counted = (outcome: CheckerOutcome, place: number) => {
    countUnits({
      checks: requestsOf(outcome.result),
      unreachable_checks: outcome.result.message === NO_NETWORK ? 1 : 0,
    });
    return finish(outcome, place);
  };
  const checker = findChecker(scope.env, region);
  if (!checker) return runJobs(scope, jobs, counted);
  const outcomes = await request(scope, checker, { region, jobs });
  return mapConcurrently([...outcomes.entries()], CONNECTIONS, ([place, outcome]) => counted(outcome, place));
}

/** A journey counts as many checks as it sent requests. */
function requestsOf({ details }: CheckerOutcome["result"]): number {
  return typeof details.requests === "number" ? Math.max(1, details.requests) : 1;
}

async function request(
  scope: Pick<Scope, "log">,
  checker: Fetcher,
  { region, jobs }: { region: string; jobs: readonly CheckerJob[] },
): Promise<CheckerOutcome[]> {
  if (jobs.length === 0) return [];
  const startedAt = now();
  try {
    const response = await checker.fetch("https://checker.invalid/", {
      method: "POST",
      body: JSON.stringify({ jobs }),
      signal: AbortSignal.timeout(timeLimitOf(jobs)),
    });
    const { outcomes } = CheckerResponse.parse(await response.json());
    if (outcomes.length !== jobs.length) throw new Error(`the checker returned ${outcomes.length} outcomes`);
    return outcomes;
  } catch (error) {
    scope.log.error("checker", error, { region });
    const result = failedCheck(`the checker of region ${region} did not respond`);
    return jobs.map(() => ({ checked_at: startedAt, result }));
  }
}

function secondsOf({ fields, timeout_seconds }: CheckerJob): number {
  const steps = isRecord(fields) && Array.isArray(fields.steps) ? fields.steps.length : 0;
  return journeySeconds(steps, timeout_seconds ?? TIMEOUT_MAX_S);
}

/** Until the last of them must have timed out, six at a time. */
function timeLimitOf(jobs: readonly CheckerJob[]): number {
  const longest = Math.max(...jobs.map(secondsOf));
  return Math.ceil(jobs.length / CONNECTIONS) * longest * SECOND_MS + TRAVEL_MS;
}
