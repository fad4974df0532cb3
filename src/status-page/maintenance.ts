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

/**
 * The monitors whose trouble is planned. A window of some members of a composite says nothing of the others: the composite
 * is in maintenance when all members that make it down, or degraded, are; while none does, when all members are.
 */
export function monitorsInMaintenance(
  payload: Pick<PagePayload, "maintenance" | "monitors">,
  now: number,
): Set<string> {
  const active = sortMaintenance(payload, now).active.map(({ window }) => window);
  const open = new Set(active.map(({ id }) => id));
  const isOpen = (id: string) => open.has(id);
  const partly = payload.monitors.filter(({ composite }) => {
    if (!composite || composite.window_ids.some(isOpen)) return false;
    const worst = TROUBLE.find((status) => composite.members.some((member) => member.status === status));
    const deciding = composite.members.filter(({ status }) => worst === undefined || status === worst);
    return !deciding.every(({ window_ids }) => window_ids.some(isOpen));
  });
  const unplanned = new Set(partly.map(({ id }) => id));
  return new Set(active.flatMap(({ monitor_ids }) => monitor_ids).filter((id) => !unplanned.has(id)));
}

const TROUBLE = ["down", "degraded"] as const;
