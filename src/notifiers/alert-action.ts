import { isKnownEvent, type NewEvent } from "../contract/events.ts";

export type AlertAction = "trigger" | "acknowledge" | "resolve";

/** What an event does to the alert of its thread in a service that keeps alerts; null for events that are no alerts. */
export function alertActionOf(event: NewEvent): AlertAction | null {
  if (!isKnownEvent(event)) return "trigger";
  switch (event.name) {
    case "monitor.up":
    case "incident.resolved":
    case "agent.online":
      return "resolve";
    case "incident.acknowledged":
      return "acknowledge";
    // A past incident that is entered with its end has nobody to wake.
    case "incident.created":
      return event.data.status === "resolved" ? null : "trigger";
    // One that is reopened alerts anew; while the alert is open, the service only notes the update.
    case "incident.updated":
      if (event.data.status === "resolved") return null;
      return event.data.acknowledged_at ? "acknowledge" : "trigger";
    // The alert of its outage stays open until it is stable; one of its own would never be resolved.
    case "monitor.flapping":
    // Of the channel itself nobody is woken.
    case "webhook.failing":
    case "webhook.recovered":
    case "audit.recorded":
    case "maintenance.started":
    case "maintenance.rescheduled":
    case "maintenance.completed":
      return null;
    default:
      return "trigger";
  }
}
