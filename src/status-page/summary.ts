import type { PagePayload, PageSummary } from "../contract/public-page.ts";
import { computeUptimePercentage, sumTallies } from "../domain/uptime.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { computePageState } from "./page-state.ts";
import { talliesUntil } from "./tallies.ts";

/** The page for programs: the same facts as the HTML. */
export function presentSummary(payload: PagePayload, view: { now: number; is_stale: boolean }): PageSummary {
  const { state, title } = computePageState(payload);
  return {
    page: {
      id: payload.page.id,
      name: payload.page.name,
      slug: payload.page.slug,
      description: payload.page.description ?? "",
      timezone: payload.page.timezone,
    },
    status: { state, description: title },
    is_stale: view.is_stale,
    days: payload.days,
    monitors: payload.monitors.map((monitor) => {
      const tallies = talliesUntil(monitor, payload, view.now);
      return {
        id: monitor.id,
        name: monitor.name,
        status: monitor.status,
        status_since: toIso(monitor.status_since),
        uptime_percentage: computeUptimePercentage(sumTallies(tallies)),
        daily_uptime_percentages: tallies.map(computeUptimePercentage),
      };
    }),
    incidents: payload.incidents.map((incident) => ({
      id: incident.id,
      title: incident.title,
      description: incident.description ?? "",
      severity: incident.severity,
      status: incident.status,
      started_at: toIso(incident.started_at),
      resolved_at: toIsoOrNull(incident.resolved_at),
      monitor_ids: incident.monitor_ids,
      updates: incident.updates.map((update) => ({
        id: update.id,
        status: update.status,
        message: update.message,
        created_at: toIso(update.created_at),
      })),
    })),
    updated_at: toIso(payload.generated_at),
  };
}
