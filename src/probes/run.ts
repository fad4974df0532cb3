import type { ProbeResult } from "../contract/check.ts";
import { CheckRules } from "../contract/check-rules.ts";
import { formatMilliseconds } from "../lib/duration-format.ts";
import { DAY_MS } from "../lib/durations.ts";
import { withTimeoutSignal } from "../lib/with-deadline.ts";
import type { NetIo } from "../net/port.ts";
import { inspectCertificate, type TlsTarget } from "../net/tls/inspect.ts";
import { type Recorder, recordEvidence } from "./evidence.ts";
import type { Destination, Probe } from "./port.ts";

export interface PreparedCheck {
  target: unknown;
  options: unknown;
  destination: Destination | null;
  rules: CheckRules;
}
export type Preparation =
  | { ok: true; value: PreparedCheck }
  /** The field at fault and what is wrong with it, in words for the person who set it. */
  | { ok: false; path: string; reason: string };

/** Reads a monitor's target and the fields of its type; used when it is saved and again whenever it is checked. */
export function prepareCheck(probe: Probe, target: string, fields: unknown): Preparation {
  const parsed = probe.parseTarget(target);
  if (!parsed.ok) return { ok: false, path: "target", reason: `target ${parsed.reason}` };
  const options = probe.options.safeParse(fields);
  const rules = CheckRules.safeParse(fields);
  if (options.success && rules.success) {
    const destination = probe.destination(parsed.value, options.data);
    return { ok: true, value: { target: parsed.value, options: options.data, destination, rules: rules.data } };
  }
  const [issue] = [...(options.error?.issues ?? []), ...(rules.error?.issues ?? [])];
  const { path = [], message = "the options are not valid" } = issue ?? {};
  const field = String(path[0] ?? "");
  return { ok: false, path: path.join("."), reason: message.startsWith(field) ? message : `${field}: ${message}` };
}

export interface CheckJob {
  target: string;
  /** The monitor's record; the probe takes the fields of its type from it. */
  fields: unknown;
  timeout_seconds: number | null;
  latency_threshold_ms: number | null;
  /** The values of secrets that the fields name. */
  secrets?: Readonly<Record<string, string>> | undefined;
  /** A success also says when the certificate of its target expires. */
  reads_certificate?: boolean;
  /** As a check before this one has read it. */
  certificate_expires_at?: number | null;
  /** A success is observed in full, too, as every failure is. */
  observes?: boolean;
}

/** Reading a certificate never keeps a result for longer. */
const CERTIFICATE_TIMEOUT_MS = 3000;

interface Course {
  prepared?: Preparation;
  /** Makes an error of a failure that is the checker's own. */
  verify?(result: ProbeResult): Promise<ProbeResult>;
}

/** Runs one check to its end, in time, in every case: what goes wrong on our side is an `error`. */
export async function runProbe(
  probe: Probe,
  job: CheckJob,
  io: NetIo,
  { prepared = prepareCheck(probe, job.target, job.fields), verify = async (result) => result }: Course = {},
): Promise<ProbeResult> {
  if (!prepared.ok) return failedCheck(prepared.reason);
  const { value } = prepared;
  const recorder = recordEvidence(io, () => [...passwordsIn(job.target), ...Object.values(job.secrets ?? {})]);
  const { answered, ...found } = await verify(await measure(probe, job, value, recorder));
  const judged = value.rules.invert ? invertResult(found) : withPhases(found, recorder);
  const isFailure = judged.outcome === "failure";
  if (judged.outcome === "error" || !(isFailure || job.observes)) return judged;
  const observed = { ...judged, observation: recorder.observed(answered) };
  const evidence = isFailure ? (judged.evidence ?? recorder.seen()) : undefined;
  return evidence ? { ...observed, evidence } : observed;
}

/** Of a failure its observation has them. */
function withPhases(result: ProbeResult, recorder: Recorder): ProbeResult {
  const phases = result.outcome === "success" || result.outcome === "slow" ? recorder.times() : null;
  return phases ? { ...result, phases } : result;
}

async function measure(
  probe: Probe,
  job: CheckJob,
  { target, options }: PreparedCheck,
  { io }: Recorder,
): Promise<ProbeResult> {
  try {
    const { observes = false, secrets = {} } = job;
    const context = { timeout_seconds: job.timeout_seconds ?? probe.timeout_seconds, secrets, observes };
    const secondsMax = probe.secondsMax?.(options, context.timeout_seconds) ?? context.timeout_seconds;
    const result = await withTimeoutSignal(secondsMax * 1000, (signal) =>
      probe.check(target, options, io, signal, context),
    );
    if (result.outcome === "failure") return result;
    const dated =
      job.reads_certificate || observes ? await addCertificate(result, probe.certificateAt?.(target), io) : result;
    const expiresAt = expiryOf(dated) ?? job.certificate_expires_at ?? null;
    const daysLeft = expiresAt === null ? null : (expiresAt - io.now()) / DAY_MS;
    const judged = daysLeft === null ? null : probe.judgeCertificate?.(dated, options, daysLeft);
    return applyLatencyThreshold(judged ?? dated, job.latency_threshold_ms);
  } catch {
    return failedCheck("the check itself failed");
  }
}

/** A certificate that cannot be read says nothing of a check that succeeded. */
async function addCertificate(
  result: ProbeResult,
  target: TlsTarget | null | undefined,
  io: NetIo,
): Promise<ProbeResult> {
  if (!target || result.outcome === "error") return result;
  try {
    const { details } = await withTimeoutSignal(CERTIFICATE_TIMEOUT_MS, (signal) =>
      inspectCertificate(io, target, signal),
    );
    return { ...result, details: { ...result.details, certificate_expires_at: details.valid_to } };
  } catch {
    return result;
  }
}

function expiryOf({ details }: ProbeResult): number | null {
  const { certificate_expires_at } = details;
  return typeof certificate_expires_at === "string" ? Date.parse(certificate_expires_at) : null;
}

/** A server may repeat in its answer what it was sent. */
function passwordsIn(target: string): string[] {
  if (!URL.canParse(target)) return [];
  const { password } = new URL(target);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** The result of a check that the checker itself could not make. */
export function failedCheck(message: string): ProbeResult {
  return { outcome: "error", latency_ms: null, message, details: {} };
}

/** The one rule for slowness, for all types: a success that took longer than the threshold. */
export function applyLatencyThreshold(result: ProbeResult, thresholdMs: number | null): ProbeResult {
  const { outcome, latency_ms } = result;
  if (outcome !== "success" || thresholdMs === null || latency_ms === null || latency_ms <= thresholdMs) return result;
  return {
    ...result,
    outcome: "slow",
    message: `${result.message}, slow: ${formatMilliseconds(latency_ms)}, limit ${formatMilliseconds(thresholdMs)}`,
  };
}

/** Of a target that is expected to fail. What the checker could not find out stays an error. */
export function invertResult(result: ProbeResult): ProbeResult {
  const { outcome, message, details } = result;
  if (outcome === "error") return result;
  if (outcome === "failure") {
    return { outcome: "success", latency_ms: result.latency_ms, message: `failed as expected: ${message}`, details };
  }
  const answered = `answered although it is expected not to: ${message}`;
  return { ...result, outcome: "failure", cause: "protocol", message: answered };
}
