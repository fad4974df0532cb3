import { sql } from "drizzle-orm";
import { type AnySQLiteColumn, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { CheckOutcome } from "../../contract/check.ts";
import type { Location } from "../../contract/location.ts";
import type {
  IncidentSeverity,
  MonitorStatus,
  MonitorType,
  Region,
  RegionPolicy,
} from "../../contract/monitor-values.ts";
import { emptyList, emptyObject, flag, id, instant, timestamps } from "../columns.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

/** As many minutes pass until each monitor without a check schedule was reconciled; the index below names the number. */
export const RECONCILE_ROTAS = 5;

export const monitors = sqliteTable(
  "monitors",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id").references(() => statusPages.id, { onDelete: "set null" }),
    /** Since when it is on this page; null: since it was created. */
    page_since: instant("page_since"),
    group_id: text("group_id").references(() => monitorGroups.id, { onDelete: "set null" }),
    /** The composite that this monitor is a member of. */
    parent_monitor_id: text("parent_monitor_id").references((): AnySQLiteColumn => monitors.id, {
      onDelete: "set null",
    }),
    /** The agent that runs the checks; null = the service itself. */
    agent_id: text("agent_id"),
    /** The agents that ever measured it, whose objects hold its results. */
    measured_by: text("measured_by", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** The target is private and can be reached by the agent alone. */
    is_internal: flag("is_internal").notNull().default(false),
    /** The owner's own name for it, for configuration as code. */
    external_key: text("external_key"),
    tags: text("tags", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    name: text("name").notNull(),
    type: text("type").$type<MonitorType>().notNull(),
    target: text("target"),
    interval: integer("interval").notNull(),
    timeout_seconds: integer("timeout_seconds").notNull(),
    failure_threshold: integer("failure_threshold").notNull(),
    recovery_threshold: integer("recovery_threshold").notNull(),
    retry_interval: integer("retry_interval"),
    latency_threshold_ms: integer("latency_threshold_ms"),
    regions: text("regions", { mode: "json" }).$type<Region[]>().notNull().default(emptyList),
    /** All that vote, the agents among them, where agents do; empty else. `regions` is the part of the edge. */
    locations: text("locations", { mode: "json" }).$type<Location[]>().notNull().default(emptyList),
    region_policy: text("region_policy").$type<RegionPolicy>().notNull().default("majority"),
    /** Whether an outage of the edge needs an agent that agrees; null = where agents vote. */
    confirm_outside: flag("confirm_outside"),
    /** null = as the page says. */
    auto_create_incident: flag("auto_create_incident"),
    auto_publish_incident: flag("auto_publish_incident"),
    incident_severity: text("incident_severity").$type<IncidentSeverity>().notNull().default("major"),
    /** The probe's own settings, validated by the schema of its type. */
    options: text("options", { mode: "json" }).$type<Record<string, unknown>>().notNull().default(emptyObject),
    /** Sensitive settings (header values, credentials of the target), encrypted as one value. */
    sealed: text("sealed"),
    /** Secrets of the owner that its journey names, without their values. */
    secret_names: text("secret_names", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    position: integer("position").notNull().default(0),
    /** The shard in which the monitor has its place, and in whose objects its results lie. */
    shard_id: text("shard_id").notNull(),
    /** Further shards whose objects hold results of it, each with the last time that this was noted (`noteShard`). */
    other_shards: text("other_shards", { mode: "json" }).$type<Record<string, number>>().notNull().default(emptyObject),
    /** The monitors that are checked together: one shard, interval, regions and lane; empty = not checked by us. */
    check_group_id: text("check_group_id").notNull(),
    /** The newest check at the last change of this row's settings, because a check group forgets who is paused or leaves. */
    last_result: text("last_result", { mode: "json" }).$type<PackedResult>(),
    paused: flag("paused").notNull().default(false),
    /** Notifications of its events are withheld until then. */
    muted_until: instant("muted_until"),
    /** It changes so often that its alerts wait (events/flapping.ts). */
    flapping: flag("flapping").notNull().default(false),
    /** Of its heartbeat token or push key; older ones are worth nothing. */
    credential_version: integer("credential_version").notNull().default(1),
    /** Id of the root key that signs this credential. */
    credential_key: integer("credential_key").notNull().default(1),
    /** Grows with every change that the monitor's object has to learn. */
    config_version: integer("config_version").notNull().default(1),
    /** The config_version that the object has confirmed. */
    synced_version: integer("synced_version").notNull().default(0),
    /** The epoch (domain/epoch.ts) in which the object last read this row. */
    synced_epoch: text("synced_epoch").notNull().default(""),

    // The object's state, copied here for lists; written only where state_revision grows.
    state_revision: integer("state_revision").notNull().default(0),
    state_seq: integer("state_seq").notNull().default(0),
    status: text("status").$type<MonitorStatus>().notNull().default("pending"),
    status_since: instant("status_since").notNull(),
    status_message: text("status_message"),
    settled: flag("settled").notNull().default(false),
    /** Which of its locations failed in the newest round. */
    locations_down: text("locations_down", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** When a quick repeat of a failed check is due, so that the sweep finds one that got lost. */
    retry_at: instant("retry_at"),
    /** As the newest check of the target found them; null where no check did. */
    certificate_expires_at: instant("certificate_expires_at"),
    domain_expires_at: instant("domain_expires_at"),
    /** When the next notice of an expiry is due; null: none is left, or nothing expires. */
    expiry_notice_at: instant("expiry_notice_at"),
    /** Grows when intervals of days change that may be aggregated already, so that no older aggregate is stored afterwards. */
    history_version: integer("history_version").notNull().default(0),
    /** An enabled event rule may listen to what its checks and pushes measure; without one they cost no query. */
    has_metric_rules: flag("has_metric_rules").notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    index("monitors_owner").on(table.owner_id, table.position, table.id),
    index("monitors_secrets").on(table.owner_id).where(sql`secret_names <> '[]'`),
    index("monitors_page").on(table.status_page_id, table.position, table.id),
    index("monitors_check_group").on(table.check_group_id, table.paused),
    index("monitors_shard").on(table.shard_id),
    index("monitors_parent").on(table.parent_monitor_id),
    index("monitors_group").on(table.group_id),
    index("monitors_agent").on(table.agent_id).where(sql`agent_id IS NOT NULL`),
    index("monitors_down").on(table.owner_id).where(sql`status = 'down'`),
    index("monitors_down_on_page").on(table.status_page_id).where(sql`status = 'down'`),
    index("monitors_awaiting_agent").on(table.status_since).where(sql`status = 'pending' AND agent_id IS NOT NULL`),
    uniqueIndex("monitors_external_key").on(table.owner_id, table.external_key),
    index("monitors_expiry").on(table.expiry_notice_at).where(sql`expiry_notice_at IS NOT NULL`),
    index("monitors_unsynced").on(table.updated_at).where(sql`config_version <> synced_version`),
    index("monitors_synced_epoch").on(table.synced_epoch),
    index("monitors_retry").on(table.retry_at).where(sql`retry_at IS NOT NULL`),
    index("monitors_reconcile")
      .on(sql`created_at % 5`, table.id)
      .where(sql`check_group_id = '' AND agent_id IS NULL AND paused = 0`),
  ],
);

/** Monitors that were deleted and whose object may not know it yet. */
export const deletedMonitors = sqliteTable("deleted_monitors", {
  monitor_id: text("monitor_id").primaryKey(),
});

/** Fills shards densely: a new monitor joins a shard of its interval and regions that has room. */
export const shards = sqliteTable(
  "shards",
  {
    id: id(),
    interval: integer("interval").notNull(),
    regions: text("regions").notNull(),
    size: integer("size").notNull(),
  },
  (table) => [index("shards_room").on(table.interval, table.regions, table.size)],
);

/** One row per group of monitors that one message checks; the newest results of all its members, packed. */
export const checkGroups = sqliteTable(
  "check_groups",
  {
    id: id(),
    shard_id: text("shard_id").notNull(),
    interval: integer("interval").notNull(),
    regions: text("regions", { mode: "json" }).$type<Region[]>().notNull(),
    lane: text("lane").$type<"normal" | "slow">().notNull(),
    last_slot_at: instant("last_slot_at"),
    latest: text("latest", { mode: "json" }).$type<PackedResult[]>().notNull().default(emptyList),
  },
  (table) => [index("check_groups_slow").on(table.id).where(sql`lane = 'slow'`)],
);

/** The newest check of one monitor. A tuple, because it is stored with every message of its group. */
export type PackedResult = [
  monitor_id: string,
  checked_at: number,
  latency_ms: number | null,
  message: string,
  region: string,
  outcome: CheckOutcome,
  /** The newest check that said anything about the target. */
  judged_at: number | null,
];

/** A row per planned minute. The tick that inserts it plans the minute; a second tick of the same minute does not. */
export const plannedMinutes = sqliteTable("planned_minutes", {
  minute_at: integer("minute_at", { mode: "number" }).primaryKey(),
});

/** What every monitor went through, append-only; one row per state_seq. */
export const transitions = sqliteTable(
  "transitions",
  {
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    seq: integer("seq").notNull(),
    from_status: text("from_status").$type<MonitorStatus>().notNull(),
    to_status: text("to_status").$type<MonitorStatus>().notNull(),
    decided_at: instant("decided_at").notNull(),
    effective_at: instant("effective_at").notNull(),
    message: text("message").notNull(),
    outage_seq: integer("outage_seq"),
    /** The event that it caused; null for a silent one. */
    event: text("event"),
    /** Where the deciding check ran; null where no check decided. */
    region: text("region"),
  },
  (table) => [uniqueIndex("transitions_monitor_seq").on(table.monitor_id, table.seq)],
);

/**
 * The truth about time, the only input of SLA, bars and uptime (through upkeep.table.ts, where days are long over):
 * half-open, gapless per monitor, correctable. The open interval has no `to_at`.
 */
export const statusIntervals = sqliteTable(
  "status_intervals",
  {
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    seq: integer("seq").notNull(),
    status: text("status").$type<MonitorStatus>().notNull(),
    from_at: instant("from_at").notNull(),
    to_at: instant("to_at"),
    source: text("source").$type<"check" | "agent" | "push" | "unreachable">().notNull().default("check"),
  },
  (table) => [
    uniqueIndex("status_intervals_monitor_seq").on(table.monitor_id, table.seq),
    // With all that is counted, because the rows of a monitor lie far apart in the table.
    index("status_intervals_time").on(table.monitor_id, table.from_at, table.seq, table.to_at, table.status),
  ],
);
