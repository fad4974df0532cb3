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

export interface ConnectRequest {
  host: string;
  port: number;
  /** `starttls` opens in clear and turns to TLS when the probe calls `startTls()`. */
  tls: "off" | "on" | "starttls";
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

export interface ProbeRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  verify_tls: boolean;
  signal: AbortSignal;
}

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
