import { z } from "zod";
import { ALARM_NAMES } from "./alarm.ts";
import { AuditEntry } from "./audit.ts";
import { INCIDENT_STATUSES } from "./incident.ts";
import { INCIDENT_SEVERITIES, MONITOR_STATUSES, MONITOR_TYPES } from "./monitor-values.ts";

/** Member `data` of each event of the catalogue. */

/** Instants are strings here: `data` leaves as it is stored. */
const At = z.string().meta({ description: "ISO 8601, UTC" });
export const MonitorData = z.object({
  monitor_id: z.string(),
  monitor_name: z.string(),
  status: z.enum(MONITOR_STATUSES),
  previous_status: z.enum(MONITOR_STATUSES),
  message: z.string(),
  latency: z.number().nullable().meta({ description: "milliseconds" }),
  region: z.string().nullable(),
  locations_down: z.array(z.string()).default([]).meta({
    description:
      "of an outage that begins, or of a monitor that becomes degraded: the regions and agents (`agent:<id>`) from which the target fails, as far as they have reported",
  }),
  location_names: z.record(z.string(), z.string()).nullish().meta({ description: "of the agents among them" }),
  locations_total: z
    .int()
    .default(0)
    .meta({ description: "how many regions and agents check it; 0: wherever the checker runs" }),
  since: At,
  evidence_url: z.url().nullish().meta({
    description: "where the team sees what each location saw of an outage; null where no check found it",
  }),
  outage_id: z.string().nullable().default(null).meta({ description: "the same for an outage and its recovery" }),
  outage_started_at: At.nullable().default(null),
  duration_seconds: z.int().nullable().default(null).meta({ description: "of the outage that this ends" }),
  incident_id: z.string().nullable().default(null).meta({ description: "automatic incident of the outage" }),
  suppressed_by: z.string().nullish().meta({ description: "maintenance window that withheld the alert" }),
  muted_until: At.nullish().meta({ description: "the monitor was muted until then, which withheld the alert" }),
  suppressed_until: At.nullish().meta({ description: "until when a rule withheld the alert" }),
  waits_for: z
    .string()
    .nullish()
    .meta({ description: "the monitor that it depends on, whose outage withheld the alert" }),
  released_at: At.nullish().meta({ description: "when the alert was sent that had been withheld" }),
  context: z
    .object({
      monitor_type: z.enum(MONITOR_TYPES),
      tags: z.array(z.string()),
      external_key: z.string().nullable(),
      failure_threshold: z.int(),
    })
    .nullable()
    .default(null)
    .meta({ description: "what is checked, where the page's `advanced_alerts` is on" }),
});

export const FlappingData = z.object({
  monitor_id: z.string(),
  monitor_name: z.string(),
  status: z.enum(MONITOR_STATUSES),
  message: z.string(),
  changes: z.int(),
  since: At,
});

export const ReminderData = z.object({
  monitor_id: z.string(),
  monitor_name: z.string(),
  status: z.literal("down"),
  is_reminder: z.literal(true),
  message: z.string().meta({ description: "the first failure of the outage" }),
  since: At.meta({ description: "start of the outage" }),
  duration_seconds: z.int().meta({ description: "for how long it has been down" }),
  outage_id: z.string(),
  incident_id: z.string().nullable().meta({ description: "the automatic incident of the outage" }),
  evidence_url: z.url().nullish().meta({
    description: "where the team sees what each location saw of the outage; null where no check found it",
  }),
});

export const ExpiryData = z.object({
  monitor_id: z.string(),
  monitor_name: z.string(),
  message: z.string(),
  expires_at: At,
  days_left: z.int(),
  is_said_by_status: z.boolean().optional().meta({
    description: "true where the monitor's own change to degraded says the same within a day",
  }),
});

/** Filled in by the consumer of the event, which reads it from the incident or window. */
const subject = {
  monitor_ids: z.array(z.string()).default([]).meta({ description: "affected monitors" }),
  group_ids: z.array(z.string()).default([]).meta({ description: "affected groups" }),
  impact: z.string().nullable().default(null).meta({ description: "as on the incident; `maintenance` for a window" }),
  url: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: "where people read about it: the status page, in the dashboard what is not public" }),
};

export type IncidentData = z.infer<typeof IncidentData>;
export const IncidentData = z.object({
  incident_id: z.string(),
  title: z.string(),
  severity: z.enum(INCIDENT_SEVERITIES),
  status: z.enum(INCIDENT_STATUSES),
  is_public: z.boolean(),
  monitor_id: z.string().nullable(),
  message: z.string().meta({ description: "Markdown" }),
  notify_subscribers: z.boolean(),
  started_at: At,
  resolved_at: At.nullable(),
  outage_id: z.string().nullable().default(null).meta({ description: "of an automatic incident" }),
  is_automatic: z
    .boolean()
    .default(false)
    .meta({ description: "the service opened or resolved it with an outage, no person did" }),
  bundle_id: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: "the incident that lists it with others that began together" }),
  firing_id: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: "in the event log, of the rule that opened it; only in `incident.created`" }),
  acknowledged_at: At.nullable().default(null),
  is_publication: z.boolean().optional().meta({ description: "true where the change published the incident" }),
  is_withdrawn: z
    .boolean()
    .optional()
    .meta({ description: "true where the incident was deleted or unpublished while it was open" }),
  ...subject,
});

export const MaintenanceData = z.object({
  maintenance_id: z.string(),
  title: z.string(),
  message: z.string().nullable().meta({ description: "Markdown" }),
  is_public: z.boolean(),
  status: z.enum(["scheduled", "in_progress", "completed", "cancelled"]),
  notify_subscribers: z.boolean().optional().meta({ description: "false: subscribers receive no message" }),
  start: At.nullable(),
  end: At.nullable(),
  ...subject,
});
export type MaintenanceData = z.input<typeof MaintenanceData>;

export const AgentData = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  hostname: z.string().nullable(),
  status: z.enum(["online", "offline"]),
  previous_status: z.string(),
  message: z.string(),
  last_seen_at: At.nullable(),
  since: At,
});

export const GapData = z.object({
  policy_id: z.string().nullable().meta({ description: "of an escalation" }),
  policy_name: z.string().nullable(),
  schedule_id: z.string().nullable(),
  schedule_name: z.string().nullable().default(null).meta({ description: "of a gap that is reported in advance" }),
  start: At.nullable().default(null),
  end: At.nullable().default(null),
  begins_at: At.nullable()
    .default(null)
    .meta({ description: "of a schedule by which nobody was ever on call: when its first turn begins" }),
  message: z.string(),
  incident_id: z.string().nullable(),
});

export const AlarmData = z.object({
  alarm: z.enum(ALARM_NAMES),
  message: z.string(),
  raised_at: At,
  cleared_at: At.nullable(),
});

export const ChannelData = z.object({
  webhook_id: z.string(),
  webhook_name: z.string(),
  provider: z.string(),
  status: z.enum(["failing", "disabled", "working"]),
  message: z.string(),
  since: At.meta({ description: "the first of the deliveries that failed" }),
  last_error: z.string().nullable().meta({ description: "what the last attempt was answered" }),
});
export type ChannelData = z.infer<typeof ChannelData>;

export const AuditData = AuditEntry.extend({
  ip: AuditEntry.shape.ip.meta({
    description: "null for what concerns a status page, whose webhooks others may set up",
  }),
});

export const TestData = z.object({ webhook_id: z.string(), webhook_name: z.string(), message: z.string() });
