import type { PagePayload, PublicMaintenance, PublicOccurrence } from "../contract/public-page.ts";

export interface OpenWindow {
  window: PublicMaintenance;
  occurrence: PublicOccurrence;
}

/** What is under way, and what is to come: one entry for each window that has an occurrence left. */
export function sortMaintenance({ maintenance }: Pick<PagePayload, "maintenance">, now: number) {
  const next = maintenance.flatMap((window): OpenWindow[] => {
    const occurrence = window.upcoming.find(({ end_at }) => end_at > now);
    return occurrence ? [{ window, occurrence }] : [];
  });
  return {
    active: next.filter(({ occurrence }) => occurrence.start_at <= now),
    upcoming: next.filter(({ occurrence }) => occurrence.start_at > now),
  };
}

/** The monitors whose trouble is planned. */
export function monitorsInMaintenance(payload: Pick<PagePayload, "maintenance">, now: number): Set<string> {
  return new Set(sortMaintenance(payload, now).active.flatMap(({ window }) => window.monitor_ids));
}
