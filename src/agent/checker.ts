import type { AgentAssignment, ResultStatus } from "../contract/agent.ts";
import type { CheckOutcome, ProbeResult } from "../contract/check.ts";
import { findExpiries, readsCertificate } from "../domain/expiries.ts";
import { printable, printableJson } from "../lib/printable.ts";
import type { NetIo } from "../net/port.ts";
import type { Probe } from "../probes/port.ts";
import { runProbe } from "../probes/run.ts";
import type { CheckedResult } from "./buffer.ts";
import type { Clock } from "./clock.ts";
import type { Reach } from "./reach.ts";

/** What one check gave: a result for the service, or why the check itself was not possible. */
export type Checked = { ok: true; result: Omit<CheckedResult, "is_settled"> } | { ok: false; reason: string };

export interface CheckerParts {
  probeFor(type: AgentAssignment["type"]): Probe | null;
  /** The network as this monitor wants it used. */
  ioFor(fields: Record<string, unknown>): NetIo;
  /** What the host lets monitors reach. */
  reach: Reach;
  clock: Pick<Clock, "now">;
  /** When the certificate of a monitor expires, as this process has read it; null where it found none. */
  certificates: Map<string, number | null>;
  /** Whether the last check of a monitor failed. */
  failed: Map<string, boolean>;
}

const STATUSES: Record<Exclude<CheckOutcome, "error">, ResultStatus> = {
  success: "up",
  slow: "degraded",
  failure: "down",
};
const MESSAGE_MAX = 2000;
/** Of the JSON text; the service takes twice that. */
const DETAILS_MAX = 8192;

export async function checkAssignment(assignment: AgentAssignment, parts: CheckerParts): Promise<Checked> {
  const probe = parts.probeFor(assignment.type);
  if (!probe) return { ok: false, reason: `this agent cannot check the type ${assignment.type}; update it` };
  const refusal = await parts.reach.refusalOf(assignment);
  if (refusal !== null) return { ok: false, reason: refusal };
  const checked_at = parts.clock.now();
  const { target, options: fields, secrets, timeout_seconds, latency_threshold_ms } = assignment;
  const io = parts.ioFor(fields);
  const reads_certificate = !parts.certificates.has(assignment.id) || readsCertificate(assignment, checked_at);
  const certificate_expires_at = parts.certificates.get(assignment.id) ?? null;
  const limits = { timeout_seconds, latency_threshold_ms };
  const hadFailed = parts.failed.get(assignment.id);
  const observes = hadFailed !== false;
  const job = { target, fields, secrets, ...limits, reads_certificate, certificate_expires_at, observes };
  const found = await runProbe(probe, job, io);
  const read = findExpiries(assignment.type, found.details).certificate_expires_at;
  parts.certificates.set(assignment.id, read ?? certificate_expires_at);
  if (found.outcome === "error") return { ok: false, reason: found.message };
  const hasFailed = found.outcome === "failure";
  parts.failed.set(assignment.id, hasFailed);
  // A failure that goes on and a success that goes on say nothing new.
  const observation = hasFailed === hadFailed ? undefined : found.observation;
  return {
    ok: true,
    result: {
      monitor_id: assignment.id,
      status: STATUSES[found.outcome],
      checked_at,
      latency_ms: found.latency_ms === null ? null : Math.round(found.latency_ms),
      // A target may answer with characters that the service refuses in every field.
      message: printable(found.message.slice(0, MESSAGE_MAX)),
      details: printableJson(detailsOf(found)),
      ...(found.phases && { phases: found.phases.map((ms) => ms && Math.round(ms)) }),
      ...(found.evidence && { evidence: printableJson(found.evidence) }),
      ...(observation && { observation: printableJson(observation) }),
    },
  };
}

function detailsOf({ details, cause }: ProbeResult): Record<string, unknown> {
  const all = cause === undefined ? details : { ...details, cause };
  return JSON.stringify(all).length <= DETAILS_MAX ? all : { is_cut: true, ...(cause && { cause }) };
}
