import type { ZodType } from "zod";
import type { CheckOutcome, FailureCause } from "../contract/check.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { Parsed } from "../lib/parse-result.ts";

/** What a probe may use of the place it runs in. Worker and agent each offer one; tests offer scripted bytes. */
export interface ProbeIo {
  /** One request, no redirect followed. Rejects when no answer came; see classify.ts for what the errors mean. */
  fetch(request: ProbeRequest): Promise<ProbeResponse>;
  /** Rejects when nothing listens or the TLS handshake fails. Whoever opens a socket closes it. */
  connect(request: ConnectRequest): Promise<ProbeSocket>;
  /** JSON DNS-over-HTTPS resolvers to ask about names, best first. */
  resolvers: readonly string[];
  /** Epoch milliseconds. */
  now(): number;
}

export interface ProbeRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  verify_tls: boolean;
  signal: AbortSignal;
}

export interface ProbeResponse {
  status: number;
  headers: Headers;
  /** To be read or cancelled, else the connection stays open. */
  body: ReadableStream<Uint8Array> | null;
  /** From sending the request to the headers of the answer, without our own look-ups. */
  latency_ms: number;
}

export interface ConnectRequest {
  host: string;
  port: number;
  /** `starttls` opens in clear and turns to TLS when the probe calls `startTls()`. */
  tls: "off" | "on" | "starttls";
  signal: AbortSignal;
}

/** Reads and writes reject once the signal of the connection fires. */
export interface ProbeSocket {
  /** Time that opening took, TLS handshake included. */
  latency_ms: number;
  /** Null at the end of the stream. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  startTls(): Promise<void>;
  /** May be called at any time and repeatedly; never throws. */
  close(): void;
}

/** `cause` is there when the outcome is failure. No message or detail holds a body, a secret or an address we looked up. */
export interface ProbeResult {
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
  cause?: FailureCause;
  details: Record<string, unknown>;
}

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
  check(target: Target, options: Options, io: ProbeIo, signal: AbortSignal): Promise<ProbeResult>;
}
