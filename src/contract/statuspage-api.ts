import { z } from "zod";
import { Instant } from "./common.ts";

/** The shapes that Statuspage's public API made common (https://www.atlassian.com/software/statuspage), so that its clients read our pages. */
export const COMPONENT_STATUSES = [
  "operational",
  "degraded_performance",
  "partial_outage",
  "major_outage",
  "under_maintenance",
] as const;
export const INDICATORS = ["none", "minor", "major", "critical", "maintenance"] as const;
export type Indicator = (typeof INDICATORS)[number];
const IMPACTS = ["none", "minor", "major", "critical", "maintenance"] as const;

const Page = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  time_zone: z.string(),
  updated_at: Instant,
});
const Status = z.object({ indicator: z.enum(INDICATORS), description: z.string() });

export const StatuspageComponent = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(COMPONENT_STATUSES),
    created_at: Instant,
    updated_at: Instant,
    position: z.int(),
    description: z.string().nullable(),
    showcase: z.boolean(),
    start_date: z.string().nullable(),
    group_id: z.string().nullable(),
    page_id: z.string(),
    group: z.boolean(),
    only_show_if_degraded: z.boolean(),
    components: z.array(z.string()).optional().meta({ description: "of a group: the ids of its components" }),
  })
  .meta({ id: "StatuspageComponent" });
export type StatuspageComponent = z.infer<typeof StatuspageComponent>;

const Update = z.object({
  id: z.string(),
  status: z.string(),
  body: z.string(),
  incident_id: z.string(),
  created_at: Instant,
  updated_at: Instant,
  display_at: Instant,
  affected_components: z.array(z.object({ code: z.string(), name: z.string() })).nullable(),
  deliver_notifications: z.boolean(),
  custom_tweet: z.null(),
  tweet_id: z.null(),
});

const EVENT = {
  id: z.string(),
  name: z.string(),
  status: z.string(),
  created_at: Instant,
  updated_at: Instant,
  monitoring_at: Instant.nullable(),
  resolved_at: Instant.nullable(),
  impact: z.enum(IMPACTS),
  shortlink: z.string(),
  started_at: Instant,
  page_id: z.string(),
  incident_updates: z.array(Update),
  components: z.array(StatuspageComponent),
  reminder_intervals: z.null(),
};
export const StatuspageIncident = z.object(EVENT).meta({ id: "StatuspageIncident" });
export type StatuspageIncident = z.infer<typeof StatuspageIncident>;
export const ScheduledMaintenance = z
  .object({ ...EVENT, scheduled_for: Instant, scheduled_until: Instant })
  .meta({ id: "ScheduledMaintenance" });
export type ScheduledMaintenance = z.infer<typeof ScheduledMaintenance>;

const incidents = z.array(StatuspageIncident);
const scheduled_maintenances = z.array(ScheduledMaintenance);
const components = z.array(StatuspageComponent);

/** By the last words of the address, below /api/v2. */
export const STATUSPAGE_DOCUMENTS = {
  summary: z.object({ page: Page, components, incidents, scheduled_maintenances, status: Status }),
  status: z.object({ page: Page, status: Status }),
  components: z.object({ page: Page, components }),
  incidents: z.object({ page: Page, incidents }),
  "incidents/unresolved": z.object({ page: Page, incidents }),
  "scheduled-maintenances": z.object({ page: Page, scheduled_maintenances }),
  "scheduled-maintenances/upcoming": z.object({ page: Page, scheduled_maintenances }),
  "scheduled-maintenances/active": z.object({ page: Page, scheduled_maintenances }),
};
export type StatuspageAnswer = keyof typeof STATUSPAGE_DOCUMENTS;
