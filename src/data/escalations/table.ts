import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { EscalationState } from "../../domain/escalation.ts";
import { flag, id, instant, timestamps } from "../columns.ts";
import { incidents } from "../incidents/table.ts";
import { escalationPolicies } from "../on-call/table.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";

/**
 * One escalation of one incident. `state` is what domain/escalation.ts decided last; everything else about the incident is
 * read when the escalation advances, so that no acknowledgement, resolution or reopening gets lost with a message.
 */
export const escalations = sqliteTable(
  "escalations",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    incident_id: text("incident_id")
      .notNull()
      .references(() => incidents.id, { onDelete: "cascade" }),
    /** Null once it was deleted: then the page's active policy takes its place. */
    policy_id: text("policy_id").references(() => escalationPolicies.id, { onDelete: "set null" }),
    /** Null until the first step. */
    state: text("state", { mode: "json" }).$type<EscalationState>(),
    /** Grows with every change: of two that advance at once, one writes. */
    revision: integer("revision").notNull().default(0),
    /** When step 1 was notified last; an acknowledgement from before does not count. */
    started_at: instant("started_at").notNull(),
    snoozed_until: instant("snoozed_until"),
    /** When the escalation has something to do; null: only a change of the incident does. */
    due_at: instant("due_at"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("escalations_incident").on(table.incident_id),
    index("escalations_due").on(table.due_at).where(sql`due_at IS NOT NULL`),
  ],
);

/** One notification of one recipient. Addresses are credentials: sealed JSON. */
export const escalationNotifications = sqliteTable(
  "escalation_notifications",
  {
    id: id(),
    escalation_id: text("escalation_id")
      .notNull()
      .references(() => escalations.id, { onDelete: "cascade" }),
    /** The notification's id within its escalation (domain/escalation.ts). */
    notification_key: text("notification_key").notNull(),
    level: integer("level").notNull(),
    contact_type: text("contact_type").notNull(),
    /** For people: the label of the contact, else a name or a masked address. */
    label: text("label").notNull(),
    sealed: text("sealed").notNull(),
    state: text("state").$type<"pending" | "sent" | "failed" | "cancelled">().notNull(),
    /** Whether the escalation knows of the failed attempt. */
    is_failure_reported: flag("is_failure_reported").notNull().default(false),
    error: text("error"),
    next_attempt_at: instant("next_attempt_at"),
    ...leaseColumns(),
    ...timestamps(),
  },
  (table) => [
    index("escalation_notifications_escalation").on(table.escalation_id, table.created_at),
    index("escalation_notifications_wake").on(table.wake_at).where(sql`state = 'pending'`),
  ],
);
