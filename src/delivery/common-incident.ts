import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { Db } from "../data/db.ts";
import { listBundleIds } from "../data/incidents/bundles.ts";

/** The incident that lists the outages of these events, where one does. */
export async function findCommonIncident(db: Db, events: readonly NewEvent[]): Promise<string | undefined> {
  const ids = events.filter(isKnownEvent).flatMap((event) => {
    switch (event.name) {
      case "monitor.down":
      case "monitor.up":
      case "monitor.reminder":
      case "incident.created":
      case "incident.resolved":
        return event.data.incident_id ?? [];
      default:
        return [];
    }
  });
  if (ids.length === 0) return undefined;
  const bundles = await listBundleIds(db, ids);
  return bundles.values().next().value;
}
