import type { FailureCause, ProbeResult } from "../contract/check.ts";
import { IoFault, type IoFaultKind } from "../lib/io-fault.ts";

/**
 * The one place that reads what a failed exchange means. Three forms occur: faults that an adapter already named, errors
 * thrown by Node or the local Workers runtime, and answers 520 to 530 that Cloudflare's network makes up in production
 * where it would otherwise throw. An unrecognised error counts as an error of the checker, never as a failure of the target.
 */
export interface ProbeFailure {
  outcome: "failure" | "error";
  cause?: FailureCause;
  message: string;
}

const failure = (cause: FailureCause, message: string): ProbeFailure => ({ outcome: "failure", cause, message });

const FAULT_OUTCOMES: Record<IoFaultKind, FailureCause | "error"> = {
  forbidden: "error",
  unsupported: "error",
  unavailable: "error",
  dns: "dns",
  connect: "connect",
  tls: "tls",
  protocol: "protocol",
  status: "status",
};

/** Codes of Node's errors and the words of the Workers runtime, most telling first. */
const KNOWN_ERRORS: [pattern: RegExp, cause: FailureCause, message: string][] = [
  [/ENOTFOUND|EAI_AGAIN|EAI_NODATA/, "dns", "the name does not resolve"],
  [/ECONNREFUSED|proxy request failed/, "connect", "connection refused"],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, "connect", "host is not reachable"],
  [/ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|TimeoutError/, "timeout", "timed out"],
  [/CERT_HAS_EXPIRED/, "tls", "certificate has expired"],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, "tls", "certificate is for another host name"],
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_|TLS peer's certificate/, "tls", "certificate is not trusted"],
  [/ERR_TLS|ERR_SSL|EPROTO|TLS handshake/, "tls", "TLS handshake failed"],
  [/HPE_|UND_ERR_RES|ERR_HTTP/, "protocol", "the answer is not valid HTTP"],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|Network connection lost|premature|terminated/, "connect", "connection lost"],
  [/fetch failed|internal error; reference/, "connect", "connection failed"],
];

/** `elapsedMs` is the time since the check began, for the words of a time-out. */
export function classifyError(error: unknown, signal: AbortSignal, elapsedMs: number): ProbeFailure {
  if (error instanceof IoFault) {
    const cause = FAULT_OUTCOMES[error.kind];
    return cause === "error" ? { outcome: "error", message: error.message } : failure(cause, error.message);
  }
  if (signal.aborted) return failure("timeout", `timed out after ${Math.round(elapsedMs / 100) / 10} s`);
  const words = wordsOf(error);
  const known = KNOWN_ERRORS.find(([pattern]) => pattern.test(words));
  return known ? failure(known[1], known[2]) : { outcome: "error", message: "the check itself failed" };
}

/** Name, code and message of an error and of its causes, in one line. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  const inner = causes.filter((cause) => cause !== undefined && cause !== error).map(wordsOf);
  return [code, error.name, error.message, ...inner].join(" ");
}

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/ */
const SYNTHETIC: Record<number, [cause: FailureCause, message: string]> = {
  520: ["protocol", "the server gave an empty or broken answer"],
  521: ["connect", "connection refused"],
  522: ["timeout", "connection timed out"],
  523: ["connect", "host is not reachable"],
  524: ["timeout", "the server did not answer in time"],
  525: ["tls", "TLS handshake failed"],
  526: ["tls", "certificate is not valid"],
  527: ["connect", "connection lost"],
  530: ["dns", "the name does not resolve"],
};

/** What an answer stands for when Cloudflare's network made it in place of a server that it could not reach. */
export function syntheticFailure(status: number, headers: Headers): ProbeFailure | null {
  const meaning = SYNTHETIC[status];
  return meaning && headers.get("server")?.toLowerCase() === "cloudflare" ? failure(...meaning) : null;
}

export function resultOf(finding: ProbeFailure, latency_ms: number | null = null): ProbeResult {
  return { ...finding, latency_ms, details: {} };
}
