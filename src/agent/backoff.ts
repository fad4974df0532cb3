import { UplinkError } from "./uplink-error.ts";

const FIRST_MS = 1000;
const MAX_MS = 60_000;

/** Growing pauses between attempts, each with a random half, so that agents do not come back all at once. */
export class Backoff {
  #failures = 0;

  reset(): void {
    this.#failures = 0;
  }

  /** The pause after one more failure; never shorter than the service asked for. */
  next(error: unknown, random: () => number = Math.random): number {
    const full = Math.min(FIRST_MS * 2 ** this.#failures, MAX_MS);
    this.#failures = Math.min(this.#failures + 1, 10);
    if (!(error instanceof UplinkError)) return MAX_MS;
    const isPermanent = error.kind !== "unavailable";
    const pause = isPermanent ? MAX_MS : full / 2 + (random() * full) / 2;
    return Math.max(pause, error.retryAfterMs ?? 0);
  }
}
