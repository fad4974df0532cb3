import type { EventOf, KnownEvent } from "../contract/events.ts";
import { countLocations } from "../contract/location.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { evidencePath } from "../domain/observed.ts";
import { secondsBetween } from "../lib/duration-format.ts";
import { changeEventId } from "../outbox/event-ids.ts";
import { toIso } from "../platform/clock.ts";

export interface TransitionContext {
  transition: MonitorTransition;
  monitor: MonitorRecord;
  page: StatusPageRecord | null;
  /** How the agents are called from which an outage was found. */
  location_names?: Record<string, string> | undefined;
}

export type ChangeOfStatus = EventOf<"monitor.down" | "monitor.up" | "monitor.degraded">;

export function isChangeOfStatus(event: KnownEvent): event is ChangeOfStatus {
  return event.name === "monitor.down" || event.name === "monitor.up" || event.name === "monitor.degraded";
}

/** The event of a transition; null for a silent one. `incidentId`: the automatic incident that it opens or resolves. */
export function monitorEvent(
  { transition, monitor, page, location_names }: TransitionContext,
  incidentId: string | null,
  publicUrl: string,
): ChangeOfStatus | null {
  if (transition.event === null) return null;
  const { outage } = transition;
  const evidence = publicUrl === "" ? null : evidencePathOf(transition, monitor.id);
  const locations_total = countLocations(monitor);
  const isRecovery = transition.event === "monitor.up" && outage !== null;
  return {
    id: changeEventId(monitor.id, transition.seq),
    owner_id: monitor.owner_id,
    status_page_id: monitor.status_page_id,
    monitor_id: monitor.id,
    name: transition.event,
    // Children of a composite are not public.
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: {
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      status: transition.to,
      previous_status: transition.from,
      message: transition.message,
      latency: transition.latency_ms,
      region: transition.region,
      locations_down: locations_total > 0 ? failingIn(transition) : [],
      ...(location_names && { location_names }),
      locations_total,
      since: toIso(transition.effective_at),
      evidence_url: evidence && `${publicUrl}${evidence}`,
      outage_id: outage && `${monitor.id}/${outage.seq}`,
      outage_started_at: outage && toIso(outage.started_at),
      duration_seconds: isRecovery ? secondsBetween(outage.started_at, transition.effective_at) : null,
      incident_id: incidentId,
      context: page?.advanced_alerts ? contextOf(monitor) : null,
    },
    created_at: transition.at,
  };
}

/** Nothing is kept of what was merely slow, and of what did not come. */
function evidencePathOf(
  { event, outage, region, effective_at, locations_down }: MonitorTransition,
  monitorId: string,
): string | null {
  const hasFailed = event === "monitor.degraded" ? locations_down !== undefined : outage !== null;
  return region !== null && hasFailed ? evidencePath(monitorId, outage?.started_at ?? effective_at) : null;
}

/** From where the target fails, of an outage that begins or of what is degraded. */
export function failingIn({ failure, locations_down }: MonitorTransition): string[] {
  return failure?.regions ?? locations_down ?? [];
}

function contextOf(monitor: TransitionContext["monitor"]): ChangeOfStatus["data"]["context"] {
  const { type, tags, external_key, failure_threshold } = monitor;
  return { monitor_type: type, tags, external_key, failure_threshold };
}
