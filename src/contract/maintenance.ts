import { z } from "zod";
import { ExternalKey, Id, Instant, InstantInput, LongText, Name } from "./common.ts";
import { UPDATES_CARRIED, UpdateMessage } from "./incident.ts";

export const RECURRENCE_TYPES = ["none", "daily", "weekly", "monthly"] as const;
export type RecurrenceType = (typeof RECURRENCE_TYPES)[number];
export const MAINTENANCE_STATUSES = ["scheduled", "in_progress", "completed"] as const;
export type MaintenanceStatus = (typeof MAINTENANCE_STATUSES)[number];
export const TARGET_TYPES = ["monitor", "group"] as const;

const TARGETS_MAX = 500;
const INTERVAL_MAX = 1000;

/** Calendar rules are computed for these years. */
const PlannedInstant = InstantInput.refine(
  (at) => at >= Date.UTC(2000, 0) && at < Date.UTC(2200, 0),
  "must lie in the years 2000 to 2199",
);

const Target = z.object({ target_type: z.enum(TARGET_TYPES), target_id: Id });
export type MaintenanceTarget = z.infer<typeof Target>;

const FIELDS = {
  title: Name,
  description: LongText.nullish().meta({ description: "Markdown" }),
  start_time: PlannedInstant,
  end_time: PlannedInstant.meta({ description: "after start_time; every occurrence lasts as long as the first" }),
  is_public: z.boolean().nullish().meta({ description: "default true" }),
  targets: z
    .array(Target)
    .max(TARGETS_MAX)
    .nullish()
    .meta({ description: "monitors and groups of the status page; without any the window covers the whole page" }),
  recurrence_type: z.enum(RECURRENCE_TYPES).nullish().meta({ description: "default none" }),
  recurrence_interval: z
    .int()
    .min(1)
    .max(INTERVAL_MAX)
    .nullish()
    .meta({ description: "every so many days, weeks or months; default 1" }),
  recurrence_end_date: PlannedInstant.nullish().meta({ description: "no occurrence starts after this" }),
  recurrence_day_of_week: z
    .int()
    .min(0)
    .max(6)
    .nullish()
    .meta({ description: "0 = Sunday; for weekly, default the day of start_time" }),
  recurrence_day_of_month: z
    .int()
    .min(1)
    .max(31)
    .nullish()
    .meta({ description: "for monthly, default the day of start_time; in a shorter month its last day" }),
  external_key: ExternalKey.nullish(),
};

export const MaintenanceCreate = z.object({ ...FIELDS, status_page_id: Id }).meta({ id: "MaintenanceCreate" });
export type MaintenanceCreate = z.infer<typeof MaintenanceCreate>;

/** Omitted fields keep their value; null restores the default. */
export const MaintenanceChange = z.object(FIELDS).partial().meta({ id: "MaintenanceChange" });
export type MaintenanceChange = z.infer<typeof MaintenanceChange>;

export const MaintenanceUpdateCreate = z
  .object({
    status: z.enum(MAINTENANCE_STATUSES).nullish().meta({
      description:
        "omitted: unchanged; in_progress begins a window to come now, completed ends the occurrence in progress, anything else is 400",
    }),
    message: UpdateMessage,
    notify_subscribers: z.boolean().nullish().meta({ description: "default true" }),
    expected_status: z.enum(MAINTENANCE_STATUSES).nullish().meta({
      description: "409 where the window has another status by now",
    }),
  })
  .meta({ id: "MaintenanceUpdateCreate" });
export type MaintenanceUpdateCreate = z.infer<typeof MaintenanceUpdateCreate>;

export const MaintenanceUpdate = z
  .object({
    id: Id,
    maintenance_id: Id,
    status: z.enum(MAINTENANCE_STATUSES).meta({ description: "of the window at the time of the update" }),
    message: z.string(),
    created_by: Id.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "MaintenanceUpdate" });
export type MaintenanceUpdate = z.infer<typeof MaintenanceUpdate>;

export const Maintenance = z
  .object({
    id: Id,
    status_page_id: Id,
    title: z.string(),
    description: z.string().nullable(),
    start_time: Instant,
    end_time: Instant,
    is_public: z.boolean(),
    targets: z.array(Target),
    covers_page: z.boolean().meta({ description: "it covers all monitors that the page has at the time" }),
    recurrence_type: z.enum(RECURRENCE_TYPES),
    recurrence_interval: z.int(),
    recurrence_end_date: Instant.nullable(),
    recurrence_day_of_week: z.int().nullable(),
    recurrence_day_of_month: z.int().nullable(),
    external_key: z.string().nullable(),
    status: z.enum(MAINTENANCE_STATUSES).meta({ description: "completed when no occurrence is left" }),
    next_occurrence: z
      .object({ start: Instant, end: Instant })
      .nullable()
      .meta({ description: "the one in progress, else the next" }),
    cancelled_occurrences: z.array(Instant).meta({ description: "starts of future occurrences that are cancelled" }),
    updates: z.array(MaintenanceUpdate).meta({ description: `the newest ${UPDATES_CARRIED}, newest first` }),
    created_by: Id,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Maintenance" });
export type Maintenance = z.infer<typeof Maintenance>;

/** What a list of windows may be narrowed to. */
export interface MaintenanceFilter {
  status?: MaintenanceStatus[];
  /** The occurrence in progress or to come, else the first one, starts at or after; before. */
  from?: number;
  to?: number;
}

export const OccurrenceParams = z.object({ id: Id, start: z.iso.datetime({ offset: true }) });
