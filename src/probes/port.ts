import type { ZodType } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { Plan } from "../contract/plan.ts";
import type { PushKind } from "../contract/push.ts";
import type { PushRules } from "../domain/push-deadline.ts";
import type { Parsed } from "../lib/parse-result.ts";
import type { NetIo } from "../net/port.ts";
import type { TlsTarget } from "../net/tls/inspect.ts";

export type Destination = URL | { host: string; port: number };

export type ProbeNeed = "http" | "tcp" | "tls" | "dns" | "udp" | "icmp";

/** One monitor type. Targets and options are what `parseTarget` and `options` gave. */
export interface Probe<Target = unknown, Options = unknown> {
  type: MonitorType;
  needs: readonly ProbeNeed[];
  timeout_seconds: number;
  /** Reads the fields of a monitor that belong to its type; ignores the others. */
  options: ZodType<Options>;
  parseTarget(text: string): Parsed<Target>;
  /** What the egress guard judges when a person saves the monitor; null where only our own resolvers are asked. */
  destination(target: Target, options: Options): Destination | null;
  /** Where a certificate is that the check does not read itself; null where the target has none. */
  certificateAt?(target: Target): TlsTarget | null;
  /** Judges what is left of the certificate's time, of a check that succeeded; null where that changes nothing. */
  judgeCertificate?(result: ProbeResult, options: Options, daysLeft: number): ProbeResult | null;
  /** Where each request goes, of a check that sends several. */
  requests?(target: Target, options: Options): readonly URL[];
  /** How long the whole check may take; absent: as long as its time-out says. */
  secondsMax?(options: Options, timeoutSeconds: number): number;
  /** Speaks the protocol over `io` until the signal fires. Expected failures are results, never exceptions. */
  check(target: Target, options: Options, io: NetIo, signal: AbortSignal, context: CheckContext): Promise<ProbeResult>;
}

/** What a check knows besides its monitor's settings. */
export interface CheckContext {
  timeout_seconds: number;
  /** The values of secrets that the settings name. */
  secrets: Readonly<Record<string, string>>;
  /** The beginning of the answer is wanted of a success, too. */
  observes: boolean;
}

/** Where results of a monitor come from: a probe at the edge, a probe in an agent, pushes, or other statuses. */
export type ResultSource = "edge" | "agent" | "push" | "computed";

/** Everything that the service knows about a monitor type. */
export interface MonitorTypeEntry<Options = unknown> {
  /** What people call the type. */
  label: string;
  source: ResultSource;
  /** Where the monitor's own fields decide its source. */
  sourceOf?(options: Options): ResultSource;
  /** What a computed status follows from. */
  follows?: "agent" | "members";
  /** The smallest plan that includes the type. */
  plan: Plan;
  is_beta?: true;
  /** The fields of the type, as objects or null for none; a probe brings its own. */
  options: ZodType<Options>;
  /** Absent where the Worker holds no code for the type's protocol. */
  probe?: Probe;
  /** How targets are read where the probe is the agent's alone. */
  targets?: Pick<Probe, "parseTarget" | "destination">;
  push?: PushEntry<Options>;
}

/** How monitors of a type receive their pushes. */
export interface PushEntry<Options = unknown> {
  kind: PushKind;
  /** The credential that a push carries. */
  credential: "heartbeat_token" | "push_key";
  /** Addresses to push to by name, ready to paste. */
  urls(publicUrl: string, monitorId: string, token: string): Record<string, string>;
  rules(options: Options, monitor: { interval: number; latency_threshold_ms: number | null }): PushRules;
}
