/**
 * Why an operation on the outside failed, where the adapter knows it.
 * Ours, and therefore no news about the target: `forbidden` (our policy), `unsupported` (this place cannot do it),
 * `unavailable` (our own way out is broken). The target's: `dns`, `connect`, `tls`, `protocol`, and `status` (it did
 * answer, but with a refusal).
 */
export type IoFaultKind =
  | "forbidden"
  | "unsupported"
  | "unavailable"
  | "dns"
  | "connect"
  | "tls"
  | "protocol"
  | "status";

/** The message is a readable clause without address, secret or body of the peer. */
export class IoFault extends Error {
  readonly kind: IoFaultKind;

  constructor(kind: IoFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "IoFault";
    this.kind = kind;
  }
}
