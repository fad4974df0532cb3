import { z } from "zod";
import { Alarm } from "./alarm.ts";
import { Id, Instant } from "./common.ts";
import { INCIDENT_STATUSES } from "./incident.ts";
import { INCIDENT_SEVERITIES, MONITOR_STATUSES, MONITOR_TYPES } from "./monitor-values.ts";
import { QUEUES } from "./queues.ts";

export const Overview = z
  .object({
    monitors: z.object({
      total: z.number().int(),
      by_status: z.record(z.enum(MONITOR_STATUSES), z.number().int()),
    }),
    status_pages: z.object({ owned: z.number().int(), shared: z.number().int() }),
    incidents: z.object({ open: z.number().int() }),
    open_incidents: z
      .array(
        z.object({
          id: Id,
          status_page_id: Id,
          title: z.string(),
          severity: z.enum(INCIDENT_SEVERITIES),
          status: z.enum(INCIDENT_STATUSES),
          started_at: Instant,
        }),
      )
      .meta({ description: "at most 10, newest first" }),
    worst_monitors: z
      .array(
        z.object({
          id: Id,
          status_page_id: Id.nullable(),
          name: z.string(),
          type: z.enum(MONITOR_TYPES),
          status: z.enum(MONITOR_STATUSES),
          status_since: Instant,
          last_message: z.string().nullable(),
        }),
      )
      .meta({ description: "at most 10 that are down, degraded or unknown, the worst and longest first" }),
    checks_delayed_since: Instant.nullable().meta({
      description: "time of the last checks while checks of your monitors are delayed; null: on time",
    }),
    unread_notifications: z.number().int(),
    service: z
      .object({
        late_queues: z.array(z.enum(QUEUES)).meta({ description: "queues whose messages stopped arriving" }),
        dead_letters: z.number().int().meta({ description: "messages that were given up, since the installation" }),
        last_dead_letter_at: Instant.nullable(),
        database_bytes: z.number().int(),
        database_used_percent: z.number().int(),
        is_database_nearly_full: z.boolean().meta({ description: "from 70 % on" }),
        alarms: z.array(Alarm).meta({ description: "raised now" }),
        root_keys: z
          .object({
            current: z.number().int(),
            earlier: z.array(z.number().int()),
            sealed_values: z.number().int(),
            passwords: z.number().int(),
            page_passwords: z.number().int(),
            push_credentials: z.number().int(),
          })
          .nullable()
          .meta({ description: "what still depends on earlier keys of ROOT_SECRET; null while it has one key" }),
        settings: z
          .object({
            public_url: z.string(),
            sends_mail: z.boolean(),
            canaries: z.number().int(),
            sends_heartbeat: z.boolean(),
          })
          .meta({ description: "what a deployment should set" }),
      })
      .nullable()
      .meta({ description: "the state of the installation, for operators; null for all others" }),
  })
  .meta({ id: "Overview" });
