import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckerJob, CheckerOutcome } from "../contract/checker.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { now } from "../platform/clock.ts";
import { egressOf } from "../platform/egress/guard.ts";
import { edgeIo } from "../platform/probe-io.ts";
import { probeFor } from "../probes/registry.ts";
import { type CheckJob, failedCheck, runProbe } from "../probes/run.ts";
import { verifyWithCanaries } from "./canaries.ts";

/** Workers wait for at most six answers at a time: https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

type Settings = Pick<Scope, "settings">;

/** One check from here. Stores nothing and reports to no object. */
export async function runCheck(scope: Settings, type: MonitorType, job: CheckJob): Promise<ProbeResult> {
  const probe = probeFor(type);
  if (!probe) return failedCheck(`${type} cannot be checked yet`);
  return verifyWithCanaries(scope, await runProbe(probe, job, edgeIo(egressOf(scope.settings))));
}

/** Checks from here, in the order of the jobs. */
export function runJobs(scope: Settings, jobs: readonly CheckerJob[]): Promise<CheckerOutcome[]> {
  return mapConcurrently(jobs, CONNECTIONS, async ({ type, ...job }) => {
    const checked_at = now();
    return { checked_at, result: await runCheck(scope, type, job) };
  });
}
