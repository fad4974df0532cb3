import type { MaintenanceStatus } from "../contract/maintenance.ts";
import type { PagePayload, PublicMaintenance, PublicOccurrence } from "../contract/public-page.ts";

export interface OpenWindow {
  window: PublicMaintenance;
  occurrence: PublicOccurrence;
  status: MaintenanceStatus;
}

/** What is under way, and what is to come: one entry for each window that has an occurrence left. */
export function sortMaintenance({ maintenance }: Pick<PagePayload, "maintenance">, now: number) {
  const next = maintenance.flatMap((window): OpenWindow[] => {
    const occurrence = window.upcoming.find(({ end_at }) => end_at > now);
    if (!occurrence) return [];
    return [{ window, occurrence, status: occurrence.start_at <= now ? "in_progress" : "scheduled" }];
  });
  return {
    active: next.filter(({ status }) => status === "in_progress"),
    upcoming: next.filter(({ status }) => status === "scheduled"),
  };
}

/** The monitors whose trouble is planned. */
export function monitorsInMaintenance(payload: Pick<PagePayload, "maintenance">, now: number): Set<string> {
  return new Set(sortMaintenance(payload, now).active.flatMap(({ window }) => window.monitor_ids));
}
