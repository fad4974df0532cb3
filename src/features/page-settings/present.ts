import type { z } from "zod";
import type { Alerting, Legal } from "../../contract/page-settings.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { fillTopics } from "../../domain/team-notifications.ts";

export function presentLegal({ imprint_url, privacy_url }: StatusPageRecord): z.infer<typeof Legal> {
  return { imprint_url, privacy_url };
}

export function presentAlerting(page: StatusPageRecord): z.infer<typeof Alerting> {
  return {
    incident_system_enabled: page.incident_system_enabled,
    auto_create_incident: page.auto_create_incident,
    auto_publish_incident: page.auto_publish_incident,
    advanced_alerts: page.advanced_alerts,
    notify_team: fillTopics(page.notify_team),
    alert_routing: page.alert_routing,
  };
}
