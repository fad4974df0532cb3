import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckerJob, CheckerOutcome } from "../contract/checker.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { ConnectionGate } from "../lib/connection-gate.ts";
import { isRecord } from "../lib/is-record.ts";
import { now } from "../platform/clock.ts";
import { currentColo } from "../platform/colo.ts";
import { type Egress, egressOf } from "../platform/egress/guard.ts";
import { edgeIo } from "../platform/probe-io.ts";
import type { Destination, Probe } from "../probes/port.ts";
import { probeFor } from "../probes/registry.ts";
import { type CheckJob, failedCheck, type Preparation, prepareCheck, runProbe } from "../probes/run.ts";
import { verifyWithCanaries } from "./canaries.ts";

/** Workers wait for at most six answers at a time: https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

type Settings = Pick<Scope, "settings">;

/** One check from here. Stores nothing and reports to no object. */
export function runCheck(scope: Settings, type: MonitorType, job: CheckJob): Promise<ProbeResult> {
  return runThrough(scope, egressOf(scope.settings), prepareJob({ ...job, type }));
}

interface PreparedJob {
  job: CheckerJob;
  /** Null where nothing can check this type. */
  probe: Probe | null;
  prepared: Preparation | null;
}

interface KnownPreparation {
  probe: Probe;
  target: string;
  prepared: Preparation;
}

/** By the fields of a monitor, which are one object as long as its row stays the same (data/whole-rows.ts). */
const preparations = new WeakMap<object, KnownPreparation>();

function prepareJob(job: CheckerJob): PreparedJob {
  const probe = probeFor(job.type);
  if (!probe) return { job, probe, prepared: null };
  const { target, fields } = job;
  const known = isRecord(fields) ? preparations.get(fields) : undefined;
  if (known?.probe === probe && known.target === target) return { job, probe, prepared: known.prepared };
  const prepared = prepareCheck(probe, target, fields);
  if (isRecord(fields)) preparations.set(fields, { probe, target, prepared });
  return { job, probe, prepared };
}

async function runThrough(
  scope: Settings,
  egress: Egress,
  { job, probe, prepared }: PreparedJob,
): Promise<ProbeResult> {
  if (!probe || !prepared) return failedCheck(`${job.type} cannot be checked yet`);
  return runProbe(probe, job, edgeIo(egress), { prepared, verify: (result) => verifyWithCanaries(scope, result) });
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
  const ready = jobs.map(prepareJob);
  const destinations = ready.map(destinationOf);
  const egress = egressOf(scope.settings).lookUpFirst(
    destinations.filter((destination) => destination !== null),
    (lookUp) => gate.run(lookUp),
  );
  return Promise.all(
    ready.map(async (each, place) => {
      const destination = destinations[place];
      if (destination) await egress.lookedUp(destination);
      return gate.run(async () => {
        const checked_at = now();
        const result = await runThrough(scope, egress, each);
        return finish({ checked_at, colo: currentColo(), result }, place);
      });
    }),
  );
}

/** Null where the target names no host to be reached from here. */
function destinationOf({ prepared }: PreparedJob): Destination | null {
  return prepared?.ok ? prepared.value.destination : null;
}
