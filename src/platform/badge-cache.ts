import type { HistoryPlaces } from "./prober-objects.ts";

/** The public page of a monitor, as this isolate knows it; null where the monitor is not public. */
export interface BadgeSource extends HistoryPlaces {
  slug: string;
  regions: readonly string[];
  measured_by: readonly string[];
}

/** Strangers choose the ids that are asked for, so there is a bound. */
const SOURCES_MAX = 2000;
const KEPT_MS = 60_000;

const known = new Map<string, { source: BadgeSource | null; known_at: number }>();

export function getBadgeSource(monitorId: string, now: number): BadgeSource | null | undefined {
  const found = known.get(monitorId);
  return found && now - found.known_at < KEPT_MS ? found.source : undefined;
}

export function cacheBadgeSource(monitorId: string, source: BadgeSource | null, now: number): void {
  known.delete(monitorId);
  known.set(monitorId, { source, known_at: now });
  const [oldest] = known.keys();
  if (known.size > SOURCES_MAX && oldest !== undefined) known.delete(oldest);
}
