/** What a registry says of a name. */
export type Registration =
  | { kind: "registered"; expires_at: number; registrar: string | null; states: string[]; latency_ms: number }
  | { kind: "free"; latency_ms: number }
  /** It cannot be had from this source; the reason completes "the registration of x is not known: …". */
  | { kind: "unknown"; reason: string };
