interface OfMonitor {
  parent_monitor_id: string | null;
  is_internal: boolean;
  auto_create_incident: boolean | null;
  auto_publish_incident: boolean | null;
}
interface OfPage {
  incident_system_enabled: boolean;
  auto_create_incident: boolean;
  auto_publish_incident: boolean;
}

/** Whether an outage opens an incident. Children of a composite have none of their own: it would reveal their names. */
export function opensIncident(
  monitor: Pick<OfMonitor, "parent_monitor_id" | "auto_create_incident">,
  page: Pick<OfPage, "incident_system_enabled" | "auto_create_incident">,
): boolean {
  if (monitor.parent_monitor_id !== null) return false;
  return page.incident_system_enabled && (monitor.auto_create_incident ?? page.auto_create_incident);
}

/** Whether readers of the page meet that incident. The title of one of an internal monitor would tell of what no page shows. */
export function publishesIncident(
  monitor: Pick<OfMonitor, "is_internal" | "auto_publish_incident">,
  page: Pick<OfPage, "auto_publish_incident">,
): boolean {
  return !monitor.is_internal && (monitor.auto_publish_incident ?? page.auto_publish_incident);
}
