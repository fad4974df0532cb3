import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckerJob, CheckerOutcome } from "../contract/checker.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { ConnectionGate } from "../lib/connection-gate.ts";
import { now } from "../platform/clock.ts";
import { type Egress, egressOf } from "../platform/egress/guard.ts";
import { edgeIo } from "../platform/probe-io.ts";
import type { Destination } from "../probes/port.ts";
import { probeFor } from "../probes/registry.ts";
import { type CheckJob, failedCheck, prepareCheck, runProbe } from "../probes/run.ts";
import { verifyWithCanaries } from "./canaries.ts";

/** Workers wait for at most six answers at a time: https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

type Settings = Pick<Scope, "settings">;

/** One check from here. Stores nothing and reports to no object. */
export function runCheck(scope: Settings, type: MonitorType, job: CheckJob): Promise<ProbeResult> {
  return runThrough(scope, egressOf(scope.settings), type, job);
}

async function runThrough(scope: Settings, egress: Egress, type: MonitorType, job: CheckJob): Promise<ProbeResult> {
  const probe = probeFor(type);
  if (!probe) return failedCheck(`${type} cannot be checked yet`);
  return verifyWithCanaries(scope, await runProbe(probe, job, edgeIo(egress)));
}

/**
 * Checks from here, in the order of the jobs, each with what follows from its outcome. The names of all are looked up
 * first; then six checks run at a time, so that no check waits for a connection while its latency is measured.
 */
export async function runJobs<Done>(
  scope: Settings,
  jobs: readonly CheckerJob[],
  finish: (outcome: CheckerOutcome, place: number) => Promise<Done>,
): Promise<Done[]> {
  const gate = new ConnectionGate(CONNECTIONS);
  const destinations = jobs.map(destinationOf);
  const egress = egressOf(scope.settings).lookUpFirst(
    destinations.filter((destination) => destination !== null),
    (lookUp) => gate.run(lookUp),
  );
  return Promise.all(
    jobs.map(async ({ type, ...job }, place) => {
      const destination = destinations[place];
      if (destination) await egress.lookedUp(destination);
      return gate.run(async () => {
        const checked_at = now();
        return finish({ checked_at, result: await runThrough(scope, egress, type, job) }, place);
      });
    }),
  );
}

/** Null where the target names no host to be reached from here. */
function destinationOf({ type, target, fields }: CheckerJob): Destination | null {
  const probe = probeFor(type);
  const prepared = probe && prepareCheck(probe, target, fields);
  return prepared?.ok ? prepared.value.destination : null;
}
