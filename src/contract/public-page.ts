import { z } from "zod";
import { Id, Instant, InstantInput } from "./common.ts";
import { INCIDENT_STATUSES } from "./incident.ts";
import { MAINTENANCE_STATUSES } from "./maintenance.ts";
import { INCIDENT_SEVERITIES, MONITOR_STATUSES } from "./monitor-values.ts";
import { FooterLink, LANGUAGES, PAGE_FONTS, PAGE_LAYOUTS, PASSWORD_LENGTH_MAX } from "./status-page.ts";

/**
 * All that the public may learn of a page. What has no member here cannot be shown by any view, feed or badge: there is
 * no target, check message, agent, threshold or name of a user.
 */

/** Paused monitors are not shown. */
export const PUBLIC_STATUSES = ["up", "degraded", "down", "unknown", "pending"] as const;
export type PublicStatus = (typeof PUBLIC_STATUSES)[number];

export const PAGE_STATES = [
  "operational",
  "maintenance",
  "degraded",
  "partial_outage",
  "major_outage",
  "unknown",
] as const;
export type PageState = (typeof PAGE_STATES)[number];

/** Milliseconds of one day in which a monitor was each of these; null where nothing is known of that day. */
export type DayDurations = [up: number, degraded: number, down: number, maintenance?: number] | null;

export const PublicGroup = z.object({ id: z.string(), name: z.string() });
export type PublicGroup = z.infer<typeof PublicGroup>;

/** A member of a composite, as the database names it. */
export const HiddenMember = z.object({
  id: z.string(),
  group_id: z.string().nullable(),
  status: z.enum(MONITOR_STATUSES),
});

/** Of agents, by the names of their locations. */
export const AgentNames = z.record(z.string(), z.string());

export const PublicMonitor = z.object({
  id: z.string(),
  name: z.string(),
  /** One of the payload's groups. */
  group_id: z.string().nullable(),
  status: z.enum(PUBLIC_STATUSES),
  status_since: z.number(),
  /** It is not checked at this time, as its owner wants it; the status is then pending. */
  is_resting: z.boolean().optional(),
  /** Where its owner shows them and it has several: from where it is checked. A name is a region's, or an agent's. */
  places: z.array(z.object({ name: z.string(), is_down: z.boolean() })).optional(),
  /** Since when it was measured. */
  measured_since: z.number(),
  /** What its time counts as since the payload was built; private maintenance is left out. */
  counts_as: z.enum(["maintenance", "nothing"]).optional(),
  /** One for each of the payload's days. Not looked into: a page may have 45,000, and the format says whose they are. */
  tallies: z.custom<DayDurations[]>(Array.isArray),
  /** Of a composite only: what the maintenance of its hidden members says about it. */
  composite: z
    .object({
      /** Windows that name it or its group. */
      window_ids: z.array(z.string()),
      members: z.array(z.object({ status: z.enum(MONITOR_STATUSES), window_ids: z.array(z.string()) })),
    })
    .optional(),
});
export type PublicMonitor = z.infer<typeof PublicMonitor>;

export const PublicIncident = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  severity: z.enum(INCIDENT_SEVERITIES),
  status: z.enum(INCIDENT_STATUSES),
  started_at: z.number(),
  resolved_at: z.number().nullable(),
  /** What people notice of it. */
  impact: z.string().nullable(),
  monitor_ids: z.array(z.string()),
  /** Newest first. */
  updates: z.array(
    z.object({ id: z.string(), status: z.enum(INCIDENT_STATUSES), message: z.string(), created_at: z.number() }),
  ),
  /** How many older updates are left out, because the payload's texts would be too long. */
  omitted_updates: z.number(),
});
export type PublicIncident = z.infer<typeof PublicIncident>;

const PublicOccurrence = z.object({ start_at: z.number(), end_at: z.number() });
export type PublicOccurrence = z.infer<typeof PublicOccurrence>;

export const PublicMaintenance = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  created_at: z.number(),
  updated_at: z.number(),
  monitor_ids: z.array(z.string()),
  /** Newest first. */
  updates: z.array(
    z.object({ id: z.string(), status: z.enum(MAINTENANCE_STATUSES), message: z.string(), created_at: z.number() }),
  ),
  /** The occurrence in progress and those that follow, the next one first. */
  upcoming: z.array(PublicOccurrence),
  /** Those that were over lately, the last one first. */
  past: z.array(PublicOccurrence),
});
export type PublicMaintenance = z.infer<typeof PublicMaintenance>;

export const PagePayload = z.object({
  /** A stored payload of another format is rebuilt. */
  format: z.literal(9),
  version: z.number(),
  generated_at: z.number(),
  /** The next midnight in the page's zone, or the next edge of maintenance: from then on there is something else to show. */
  valid_until: z.number(),
  page: z.object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    /** Its own host name, while the page is served there; readers of both hosts get the same payload. */
    domain: z.string().nullable(),
    description: z.string().nullable(),
    timezone: z.string(),
    language: z.enum(LANGUAGES),
    show_latency: z.boolean(),
    logo_url: z.string().nullable(),
    logo_dark_url: z.string().nullable(),
    favicon_url: z.string().nullable(),
    brand_color: z.string().nullable(),
    header_image_url: z.string().nullable(),
    layout: z.enum(PAGE_LAYOUTS),
    font: z.enum(PAGE_FONTS),
    footer_text: z.string().nullable(),
    footer_links: z.array(FooterLink),
    show_branding: z.boolean(),
  }),
  /** Some statuses are only as new as the service's own clock: those that are not pushed, and those of agents. */
  needs_ticks: z.boolean(),
  /** Dates in the page's zone, oldest first, today last. */
  days: z.array(z.string()),
  /** Those under which at least one monitor is shown, in their order. */
  groups: z.array(PublicGroup),
  monitors: z.array(PublicMonitor),
  /** Published ones that are open or were resolved lately, newest first. */
  incidents: z.array(PublicIncident),
  /** Public windows that are open or to come, the next one first, then those that were over lately. */
  maintenance: z.array(PublicMaintenance),
});
export type PagePayload = z.infer<typeof PagePayload>;

export const PageParams = z.object({ slug: z.string() });
/** `next` is where the form leads to, within the page. */
export const UnlockInput = z
  .object({
    password: z.string().max(PASSWORD_LENGTH_MAX),
    next: z.string().max(500).optional(),
  })
  .meta({ id: "UnlockInput" });
export const Unlocked = z
  .object({
    expires_at: Instant.nullable().meta({ description: "end of the cookie; null where the page needs no password" }),
  })
  .meta({ id: "Unlocked" });
/** People write minutes; seconds are for programs. */
const PastInstant = z
  .union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })])
  .transform((text) => Date.parse(text));
export const PastQuery = z.object({
  at: PastInstant.optional().meta({
    example: "2026-11-20T03:14Z",
    description: "the page as it was then, without what is private, unpublished or deleted now",
  }),
});
export const PageIncidentParams = PageParams.extend({ id: z.string() });
export const IncidentHistoryQuery = z.object({
  before: InstantInput.optional().meta({ description: "started before this" }),
});
export const PastHistoryQuery = IncidentHistoryQuery.extend(PastQuery.shape);

export const ServiceQuery = z.object({
  period: z.enum(["24h", "7d", "30d", "90d"]).default("24h").meta({ description: "of the response times" }),
});

const Percentage = z
  .number()
  .nullable()
  .meta({ description: "of the known time, without maintenance; null without known time" });

/** The answer of summary.json. */
export const PageSummary = z
  .object({
    page: z.object({
      id: Id,
      name: z.string(),
      slug: z.string(),
      url: z.string().meta({ description: "on the custom domain if the page has one" }),
      description: z.string(),
      timezone: z.string(),
    }),
    status: z.object({ state: z.enum(PAGE_STATES), description: z.string() }),
    is_stale: z.boolean().meta({ description: "true while an earlier state, at most 15 minutes old, is served" }),
    checks_delayed_since: Instant.nullable().meta({
      description: "time of the last checks while checks are delayed; null while they are on time",
    }),
    days: z.array(z.iso.date()).meta({ description: "in the page's time zone, oldest first; today is the last" }),
    groups: z.array(z.object({ id: Id, name: z.string() })).meta({ description: "in the order of the page" }),
    monitors: z.array(
      z.object({
        id: Id,
        name: z.string(),
        group_id: Id.nullable(),
        status: z.enum(PUBLIC_STATUSES),
        in_maintenance: z.boolean(),
        status_since: Instant,
        measured_since: Instant.meta({
          description: "uptime_percentage covers the time from then on, at most that of days",
        }),
        uptime_percentage: Percentage,
        daily_uptime_percentages: z.array(Percentage).meta({ description: "one for each of days" }),
      }),
    ),
    incidents: z.array(
      z.object({
        id: Id,
        title: z.string(),
        description: z.string(),
        severity: z.enum(INCIDENT_SEVERITIES),
        status: z.enum(INCIDENT_STATUSES),
        started_at: Instant,
        resolved_at: Instant.nullable(),
        impact: z.string().meta({ description: "what people notice of it, Markdown" }),
        monitor_ids: z.array(Id),
        updates: z.array(
          z.object({ id: Id, status: z.enum(INCIDENT_STATUSES), message: z.string(), created_at: Instant }),
        ),
      }),
    ),
    maintenance: z.array(
      z.object({
        id: Id,
        title: z.string(),
        description: z.string(),
        status: z.enum(MAINTENANCE_STATUSES),
        start: Instant,
        end: Instant,
        monitor_ids: z.array(Id),
        updates: z.array(
          z.object({ id: Id, status: z.enum(MAINTENANCE_STATUSES), message: z.string(), created_at: Instant }),
        ),
      }),
    ),
    updated_at: Instant.meta({ description: "when this payload was built; a change of the page changes it" }),
  })
  .meta({ id: "PageSummary" });
export type PageSummary = z.infer<typeof PageSummary>;
