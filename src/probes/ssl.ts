import { z } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import { WARNING_DAYS } from "../domain/expiry-notices.ts";
import { spanOf } from "../lib/duration-format.ts";
import { DAY_MS } from "../lib/durations.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { classifyError, type ProbeFailure, resultOf } from "../net/faults.ts";
import type { NetIo } from "../net/port.ts";
import { inspectCertificate, type TlsInspection } from "../net/tls/inspect.ts";
import type { Probe } from "./port.ts";
import { type HostPort, parseHostPort } from "./tcp.ts";

const HTTPS_PORT = 443;

const SslCheck = z.object({
  ssl_expiry_warning_days: z
    .int()
    .min(0)
    .max(365)
    .nullish()
    .meta({ description: "ssl: degraded when the certificate expires within so many days; default 14" })
    .transform((days) => days ?? WARNING_DAYS.ssl),
});
type SslCheck = z.infer<typeof SslCheck>;

/**
 * Two connections: the first, by our own TLS, sees the certificate with any fault; only when nothing is, a
 * second one by the platform's TLS says whether its issuer is trusted.
 */
export const sslProbe: Probe<HostPort, SslCheck> = {
  type: "ssl",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: SslCheck,
  parseTarget,
  destination: (target) => target,
  async check(target, options, io, signal) {
    const startedAt = io.now();
    try {
      const look = await inspectCertificate(io, target, signal);
      return await evaluate(look, target, options, io, signal);
    } catch (error) {
      return resultOf(classifyError(error, signal, io.now() - startedAt));
    }
  },
};

/** Reads `host`, `host:port` and https addresses; of the latter only host and port count. */
function parseTarget(text: string): Parsed<HostPort> {
  const bare = text.trim().replace(/^(https|tls|ssl):\/\//i, "");
  const authority = /^[^/?#]*/.exec(bare)?.[0] ?? "";
  if (authority === "") return { ok: false, reason: "must have the form host or host:port" };
  return parseHostPort(authority, "tls", HTTPS_PORT);
}

async function evaluate(
  look: TlsInspection,
  target: HostPort,
  { ssl_expiry_warning_days }: SslCheck,
  io: NetIo,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { latency_ms, details } = look;
  if (look.problem) return { outcome: "failure", cause: "tls", message: look.problem, latency_ms, details };
  const refusal = await refusalByPlatform(look, target, io, signal);
  if (refusal) return { ...refusal, latency_ms, details: { ...details, is_trusted: false } };
  const left = look.expires_at - io.now();
  return {
    outcome: left < ssl_expiry_warning_days * DAY_MS ? "slow" : "success",
    message: `certificate of ${target.host} expires in ${spanOf(left)}`,
    latency_ms,
    details: { ...details, is_trusted: true },
  };
}

async function refusalByPlatform(
  look: TlsInspection,
  target: HostPort,
  io: NetIo,
  signal: AbortSignal,
): Promise<ProbeFailure | null> {
  const startedAt = io.now();
  try {
    (await io.connect({ ...target, tls: "on", signal })).close();
    return null;
  } catch (error) {
    const finding = classifyError(error, signal, io.now() - startedAt);
    return finding.cause === "tls" ? { ...finding, message: look.distrust } : finding;
  }
}
