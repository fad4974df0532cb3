import { z } from "zod";
import { EVENT_CLASSIFICATIONS, ROUTABLE_EVENTS } from "./events.ts";
import { HttpsUrl } from "./status-page.ts";
import { TeamTopics, TeamTopicsChange } from "./team-notification.ts";

const RoutingMap = z.partialRecord(z.enum(ROUTABLE_EVENTS), z.enum(EVENT_CLASSIFICATIONS));
export type AlertRouting = z.infer<typeof RoutingMap>;

/** The empty string clears a link as null does, because that is what forms send. */
const Link = z.preprocess(
  (value) => (typeof value === "string" && value.trim() === "" ? null : value),
  HttpsUrl.nullish(),
);

export const LegalUpdate = z.object({ imprint_url: Link, privacy_url: Link }).meta({ id: "LegalUpdate" });
export type LegalUpdate = z.infer<typeof LegalUpdate>;

export const Legal = z
  .object({ imprint_url: z.string().nullable(), privacy_url: z.string().nullable() })
  .meta({ id: "Legal" });

export const AlertingUpdate = z
  .object({
    incident_system_enabled: z.boolean().nullish(),
    auto_create_incident: z.boolean().nullish(),
    auto_publish_incident: z.boolean().nullish(),
    advanced_alerts: z
      .boolean()
      .nullish()
      .meta({ description: "alerts of monitors also name their type, tags, key and how the failure was confirmed" }),
    notify_team: TeamTopicsChange.nullish().meta({ description: "omitted topics keep their value" }),
    alert_routing: RoutingMap.nullish().meta({
      description: "event name to public, team_only or critical, as a whole; an omitted event keeps its own audience",
    }),
  })
  .meta({ id: "AlertingUpdate" });
export type AlertingUpdate = z.infer<typeof AlertingUpdate>;

export const Alerting = z
  .object({
    incident_system_enabled: z.boolean(),
    auto_create_incident: z.boolean(),
    auto_publish_incident: z.boolean(),
    advanced_alerts: z.boolean(),
    notify_team: TeamTopics,
    alert_routing: RoutingMap,
  })
  .meta({ id: "Alerting" });
