import type { Observation } from "../contract/observation.ts";

/** What the place notices on its way, also where it ends in an error. */
export interface Noticed extends Pick<Observation, "lookup" | "connection" | "tls"> {
  connect_ms?: number;
  tls_ms?: number;
  first_byte_ms?: number;
  /** Where the place cannot divide the time until the answer began. */
  undivided_ms?: number;
  transfer_ms?: number;
  /** What follows is not of what the check found. */
  ends?: true;
}
export type Notice = (noticed: Noticed) => void;

/** Reads and writes reject once the signal of the connection fires. */
export interface NetSocket {
  /** Time that opening took, TLS handshake included. */
  latency_ms: number;
  /** The address that it is connected to; all that the name has where it is not known which. */
  addresses?: readonly string[];
  /** Null at the end of the stream. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  startTls(): Promise<void>;
  /** May be called at any time and repeatedly; never throws. */
  close(): void;
}

export interface ConnectRequest {
  host: string;
  port: number;
  /** `starttls` opens in clear and switches to TLS at `startTls()`. */
  tls: "off" | "on" | "starttls";
  signal: AbortSignal;
  notice?: Notice;
}

export interface NetResponse {
  status: number;
  /** The reason phrase, where the version of HTTP has one. */
  status_text?: string;
  headers: Headers;
  /** The caller reads or cancels it; otherwise the connection stays open. */
  body: ReadableStream<Uint8Array> | null;
  /** From sending the request to the headers of the response, without the guard's own DNS queries. */
  latency_ms: number;
  /** As of a socket. */
  addresses?: readonly string[];
}

export interface NetRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  verify_tls: boolean;
  signal: AbortSignal;
  notice?: Notice;
}

/** The network as protocols see it. The Worker and the agent each implement it; tests pass scripted bytes. */
export interface NetIo {
  /** What names the sender in the header x-monitor-hop, where the place does not add it itself. */
  hop?: string;
  /** Sends one request and follows no redirect. Rejects without a response; faults.ts classifies the errors. */
  fetch(request: NetRequest): Promise<NetResponse>;
  /** Rejects when nothing listens or the TLS handshake fails. The caller closes the socket. */
  connect(request: ConnectRequest): Promise<NetSocket>;
  /** JSON DNS-over-HTTPS resolvers, preferred first. */
  resolvers: readonly string[];
  /** Epoch milliseconds. */
  now(): number;
  /** A random UUID. */
  newId(): string;
  /** Where what is found beside the requests is brought to, a certificate for one; absent where nobody keeps it. */
  notice?: Notice;
}
