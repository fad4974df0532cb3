import type { ZodType } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { Parsed } from "../lib/parse-result.ts";
import type { NetIo } from "../net/port.ts";

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
  /** Speaks the protocol over `io` until the signal fires. Expected failures are results, never exceptions. */
  check(target: Target, options: Options, io: NetIo, signal: AbortSignal): Promise<ProbeResult>;
}
