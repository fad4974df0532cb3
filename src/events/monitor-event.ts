import type { StoredEvent } from "../data/events/read.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import type { TransitionContext } from "./incidents.ts";

/** What is told of a change of status; null for a silent one. */
export function monitorEvent({ transition, monitor }: TransitionContext, now: number): StoredEvent | null {
  if (transition.event === null) return null;
  return {
    id: idFrom("event", monitor.id, String(transition.seq)),
    owner_id: monitor.owner_id,
    status_page_id: monitor.status_page_id,
    monitor_id: monitor.id,
    name: transition.event,
    // Of a composite only the whole is public.
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: {
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      status: transition.to,
      previous_status: transition.from,
      message: transition.message,
      latency: transition.latency_ms,
      region: transition.region,
      since: toIso(transition.effective_at),
    },
    created_at: transition.at,
    processed_at: now,
  };
}
