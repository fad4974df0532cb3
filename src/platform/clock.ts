/** The one place that reads the clock. Rules take `now` as a parameter. */
export function now(): number {
  return Date.now();
}

/** The instant, moving on with the clock: for work that takes long enough to matter. */
export function runFrom(instant: number): () => number {
  const startedAt = now();
  return () => instant + (now() - startedAt);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Wire form of an instant: UTC, ISO 8601 with milliseconds. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

export function toIsoOrNull(instant: number | null): string | null {
  return instant === null ? null : toIso(instant);
}
