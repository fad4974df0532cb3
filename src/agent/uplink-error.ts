/**
 * Why a call brought nothing. `refused`: the service will give the same answer again, so the call is not repeated.
 * `unauthorized`: the credential is not valid (any more). `unavailable`: network, service or rate limit; try again later.
 */
export class UplinkError extends Error {
  readonly kind: "refused" | "unauthorized" | "unavailable";
  readonly status: number | null;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | null;

  constructor(kind: UplinkError["kind"], message: string, about: { status?: number; retryAfterMs?: number } = {}) {
    super(message);
    this.name = "UplinkError";
    this.kind = kind;
    this.status = about.status ?? null;
    this.retryAfterMs = about.retryAfterMs ?? null;
  }
}

/** Node hides the reason of a failed fetch in its cause. */
export function unavailableBecause(error: unknown): UplinkError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return new UplinkError("unavailable", String(cause));
  const code = "code" in cause ? `${String(cause.code)} ` : "";
  return new UplinkError("unavailable", `${code}${cause.message}`.trim());
}
