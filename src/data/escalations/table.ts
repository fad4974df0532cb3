import { sql } from "drizzle-orm";
import { type AnySQLiteColumn, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { EscalationState } from "../../domain/escalation.ts";
import { flag, id, instant, timestamps } from "../columns.ts";
import { incidents } from "../incidents/table.ts";
import { monitors } from "../monitors/table.ts";
import { escalationPolicies } from "../on-call/table.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";

/** What an escalation without an incident is about: a critical event. */
export interface CriticalSubject {
  event_id: string;
  event_name: string;
  title: string;
  text: string;
  /** Epoch ms. */
  since: number;
}

/**
 * One escalation of one incident, or of one critical event without an incident. `state` is what domain/escalation.ts decided
 * last; everything else is read when the escalation advances, so that no acknowledgement, resolution or reopening gets lost
 * with a message.
 */
export const escalations = sqliteTable(
  "escalations",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    incident_id: text("incident_id").references(() => incidents.id, { onDelete: "cascade" }),
    subject: text("subject", { mode: "json" }).$type<CriticalSubject>(),
    /** The outage, agent, window or event that a critical event is about: events that end it name it, too. */
    thread_id: text("thread_id"),
    /** The escalation of a critical event of a monitor ends when the monitor is up after this transition. */
    monitor_id: text("monitor_id").references(() => monitors.id, { onDelete: "cascade" }),
    transition_seq: integer("transition_seq"),
    /** Of a critical event; an incident has its own. */
    ended_at: instant("ended_at"),
    acknowledged_at: instant("acknowledged_at"),
    acknowledged_by: text("acknowledged_by"),
    /** Whether monitors and agents, not a person, caused it: of a mass failure such escalations become one bundle. */
    is_automatic: flag("is_automatic").notNull().default(false),
    /** The escalation that notifies of this one, too. */
    bundle_id: text("bundle_id").references((): AnySQLiteColumn => escalations.id, { onDelete: "set null" }),
    /** When this became the escalation of a bundle. */
    bundled_at: instant("bundled_at"),
    /** Null once it was deleted: then the page's active policy takes its place. */
    policy_id: text("policy_id").references(() => escalationPolicies.id, { onDelete: "set null" }),
    /** Null until the first step. */
    state: text("state", { mode: "json" }).$type<EscalationState>(),
    /** Grows with every change: of two that advance at once, one writes. */
    revision: integer("revision").notNull().default(0),
    /** When step 1 was notified last; an acknowledgement from before does not count. */
    started_at: instant("started_at").notNull(),
    snoozed_until: instant("snoozed_until"),
    /** Attempts to advance it in a row that failed. */
    failures: integer("failures").notNull().default(0),
    /** When the escalation has something to do; null: only a change of the incident does. */
    due_at: instant("due_at"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("escalations_incident").on(table.incident_id),
    index("escalations_due").on(table.due_at, table.id).where(sql`due_at IS NOT NULL`),
    index("escalations_page").on(table.status_page_id, table.created_at),
    index("escalations_owner").on(table.owner_id, table.created_at),
    index("escalations_thread").on(table.thread_id).where(sql`thread_id IS NOT NULL AND ended_at IS NULL`),
    index("escalations_bundle").on(table.bundle_id).where(sql`bundle_id IS NOT NULL`),
    index("escalations_monitor").on(table.monitor_id).where(sql`monitor_id IS NOT NULL`),
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
    /** Of a person: the notification failed when the mail did. */
    mail_id: text("mail_id"),
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
    index("escalation_notifications_mail").on(table.mail_id).where(sql`mail_id IS NOT NULL`),
    index("escalation_notifications_wake").on(table.wake_at).where(sql`state = 'pending'`),
  ],
);
