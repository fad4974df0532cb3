import { z } from "zod";
import { Id, Instant, InstantInput, jsonOrText, LongText, Name } from "./common.ts";
import { INCIDENT_SEVERITIES, type IncidentSeverity } from "./monitor-values.ts";
import { Tags } from "./tags.ts";

export const INCIDENT_STATUSES = ["investigating", "identified", "monitoring", "resolved"] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

const AFFECTED_MAX = 500;
/** How many of its newest updates an incident or a maintenance window carries; there is a list of all. */
export const UPDATES_CARRIED = 100;

export const UpdateMessage = z.string().trim().min(1).max(10_000).meta({ description: "Markdown" });
export const Severity = z.enum(INCIDENT_SEVERITIES);
export const Status = z.enum(INCIDENT_STATUSES);

/** What a list of incidents may be narrowed to; several values of one name are alternatives. */
export interface IncidentFilter {
  status?: IncidentStatus[];
  severity?: IncidentSeverity[];
  monitor_id?: string[];
  tag?: string[];
  assigned_to_id?: string[];
  created_automatically?: boolean;
  /** Bounds of started_at, half-open. */
  from?: number;
  to?: number;
  q?: string;
}

const FIELDS = {
  title: Name,
  description: LongText.nullish().meta({ description: "Markdown" }),
  severity: Severity.nullish().meta({ description: "default minor" }),
  status: Status.nullish().meta({ description: "default investigating; in a change, null keeps it" }),
  impact: LongText.nullish().meta({ description: "what people notice of it, Markdown" }),
  is_public: z.boolean().nullish().meta({ description: "default false" }),
  monitor_ids: z.array(Id).max(AFFECTED_MAX).nullish().meta({ description: "monitors of the same status page" }),
  monitor_id: Id.nullish().meta({ description: "one affected monitor, in addition to monitor_ids" }),
  group_ids: z.array(Id).max(AFFECTED_MAX).nullish().meta({ description: "groups of the same status page" }),
  assigned_to_id: Id.nullish().meta({ description: "a member of this status page" }),
  tags: jsonOrText(Tags.nullish()).meta({
    description: "JSON array of texts, native or as a string",
  }),
  started_at: InstantInput.nullish().meta({ description: "default now; may lie in the past" }),
};

export const IncidentCreate = z
  .object({
    ...FIELDS,
    title: Name.nullish().meta({ description: "required without template_id" }),
    status_page_id: Id,
    template_id: Id.nullish().meta({
      description:
        "a template of the page; its title, initial_update, severity, status and is_public fill what is omitted, with {{monitor}}, {{page}} and {{time}} replaced",
    }),
    resolved_at: InstantInput.nullish().meta({
      description: "with status resolved: when a past incident ended, not before started_at; default now",
    }),
    message: UpdateMessage.nullish().meta({ description: "first entry of the timeline, Markdown" }),
    announce: z.boolean().nullish().meta({
      description: "default true; false, for status resolved only: a record of the past, of which nobody is told",
    }),
  })
  .refine(({ announce, status }) => announce !== false || status === "resolved", {
    path: ["announce"],
    error: "announce may be false for status resolved only",
  })
  .meta({ id: "IncidentCreate" });
export type IncidentCreate = z.infer<typeof IncidentCreate>;

/** Omitted fields keep their value; null clears them. */
export const IncidentChange = z
  .object({
    ...FIELDS,
    message: UpdateMessage.nullish().meta({ description: "message of the update that a change of status adds" }),
  })
  .partial()
  .meta({ id: "IncidentChange" });
export type IncidentChange = z.infer<typeof IncidentChange>;

export const IncidentUpdateCreate = z
  .object({
    status: Status.nullish().meta({ description: "omitted: unchanged" }),
    message: UpdateMessage,
    notify_subscribers: z.boolean().nullish().meta({ description: "default true" }),
    expected_status: Status.nullish().meta({ description: "409 where the incident has another status by now" }),
  })
  .meta({ id: "IncidentUpdateCreate" });
export type IncidentUpdateCreate = z.infer<typeof IncidentUpdateCreate>;

/** A correction of the text; what was announced with it stays announced. */
export const UpdateChange = z.object({ message: UpdateMessage.optional() }).meta({ id: "UpdateChange" });
export type UpdateChange = z.infer<typeof UpdateChange>;

export const IncidentUpdate = z
  .object({
    id: Id,
    incident_id: Id,
    status: Status,
    message: z.string(),
    created_by: Id.nullable().meta({ description: "null: the service itself" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "IncidentUpdate" });
export type IncidentUpdate = z.infer<typeof IncidentUpdate>;

export const Incident = z
  .object({
    id: Id,
    status_page_id: Id,
    title: z.string(),
    description: z.string().nullable(),
    severity: Severity,
    status: Status,
    impact: z.string().nullable(),
    is_public: z.boolean(),
    monitor_ids: z.array(Id),
    group_ids: z.array(Id),
    assigned_to_id: z.string().nullable(),
    tags: z.string().meta({ description: "JSON array of texts" }),
    created_automatically: z.boolean(),
    started_at: Instant,
    resolved_at: Instant.nullable(),
    acknowledged_at: Instant.nullable(),
    acknowledged_by: z.string().nullable(),
    updates: z.array(IncidentUpdate).meta({ description: `the newest ${UPDATES_CARRIED}, newest first` }),
    created_by: Id.nullable().meta({ description: "null: the service itself" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Incident" });
export type Incident = z.infer<typeof Incident>;

const Seconds = z.number().nullable().meta({ description: "mean; null without values" });
const Figures = z.object({
  total: z.int(),
  open: z.int(),
  mtta_seconds: Seconds,
  mttr_seconds: Seconds,
});

/** How incidents were handled; each belongs to the month, in the page's time zone, in which it began. */
export const IncidentStats = Figures.extend({
  from: Instant,
  to: Instant,
  by_severity: z.object({ minor: Figures, major: Figures, critical: Figures }),
  by_month: z.array(
    Figures.extend({
      month: z.string().meta({ description: "such as 2026-11" }),
      by_severity: z.object({ minor: Figures, major: Figures, critical: Figures }),
    }),
  ),
}).meta({ id: "IncidentStats" });
export type IncidentStats = z.infer<typeof IncidentStats>;
