import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AlertTargets } from "../../contract/alert-targets.ts";
import type { Override, Rotation, Shift } from "../../domain/on-call.ts";
import { flag, id, instant, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

const ofPage = () => ({
  id: id(),
  owner_id: text("owner_id").notNull(),
  created_by: text("created_by").notNull(),
  status_page_id: text("status_page_id")
    .notNull()
    .references(() => statusPages.id, { onDelete: "cascade" }),
  name: text("name").notNull(),
});

/** Whom an incident of a page notifies, step by step. Steps hold chat addresses, which are credentials: sealed JSON. */
export const escalationPolicies = sqliteTable(
  "escalation_policies",
  {
    ...ofPage(),
    /** The page's active policy; at most one of a page. */
    is_default: flag("is_default").notNull(),
    sealed_steps: text("sealed_steps").notNull(),
    repeat_count: integer("repeat_count").notNull(),
    /** What it notifies of in place of the active one; null = nothing. */
    targets: text("targets", { mode: "json" }).$type<AlertTargets>(),
    /** The lower comes first. */
    position: integer("position").notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("escalation_policies_page").on(table.status_page_id, table.name, table.id),
    uniqueIndex("escalation_policies_active").on(table.status_page_id).where(sql`is_default = 1`),
  ],
);

export const onCallSchedules = sqliteTable(
  "on_call_schedules",
  {
    ...ofPage(),
    timezone: text("timezone").notNull(),
    is_active: flag("is_active").notNull(),
    shifts: text("shifts", { mode: "json" }).$type<Shift[]>().notNull(),
    rotations: text("rotations", { mode: "json" }).$type<Rotation[]>().notNull(),
    overrides: text("overrides", { mode: "json" }).$type<Override[]>().notNull(),
    /** When its gaps and coming shifts are looked for again. */
    next_review_at: instant("next_review_at").notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("on_call_schedules_page").on(table.status_page_id, table.name, table.id),
    index("on_call_schedules_review").on(table.next_review_at).where(sql`is_active = 1`),
  ],
);

/** The secret address of a calendar: of one schedule, or of all shifts of its user. Stored as its SHA-256. */
export const calendarFeeds = sqliteTable(
  "calendar_feeds",
  {
    /** Derived from user and schedule: a new address replaces the one before. */
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    schedule_id: text("schedule_id").references(() => onCallSchedules.id, { onDelete: "cascade" }),
    token_hash: text("token_hash").notNull().unique(),
    ...timestamps(),
  },
  (table) => [index("calendar_feeds_schedule").on(table.schedule_id), index("calendar_feeds_user").on(table.user_id)],
);
