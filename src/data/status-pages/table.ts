import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AlertRouting } from "../../contract/page-settings.ts";
import type { FooterLink, Language, PageFont, PageLayout, SslType } from "../../contract/status-page.ts";
import type { StoredTopics } from "../../contract/team-notification.ts";
import { emptyList, emptyObject, flag, id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

export const statusPages = sqliteTable(
  "status_pages",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    name: text("name").notNull(),
    slug: text("slug").notNull().unique(),
    description: text("description"),
    custom_domain: text("custom_domain"),
    ssl_type: text("ssl_type").$type<SslType>().notNull().default("none"),
    is_public: flag("is_public").notNull().default(true),
    show_branding: flag("show_branding").notNull().default(true),
    timezone: text("timezone").notNull().default("UTC"),
    logo_url: text("logo_url"),
    logo_dark_url: text("logo_dark_url"),
    favicon_url: text("favicon_url"),
    language: text("language").$type<Language>().notNull().default("en"),
    show_latency: flag("show_latency").notNull().default(true),
    /** From where services are checked, and from where they are not reached. */
    show_locations: flag("show_locations").notNull().default(false),
    /** A PHC string; null while everybody may read the page. */
    password_hash: text("password_hash"),
    brand_color: text("brand_color"),
    header_image_url: text("header_image_url"),
    layout: text("layout").$type<PageLayout>().notNull().default("list"),
    font: text("font").$type<PageFont>().notNull().default("inter"),
    footer_text: text("footer_text"),
    footer_links: text("footer_links", { mode: "json" }).$type<FooterLink[]>().notNull().default(emptyList),
    incident_system_enabled: flag("incident_system_enabled").notNull().default(true),
    auto_create_incident: flag("auto_create_incident").notNull().default(false),
    auto_publish_incident: flag("auto_publish_incident").notNull().default(false),
    failure_threshold: integer("failure_threshold"),
    external_key: text("external_key"),
    imprint_url: text("imprint_url"),
    privacy_url: text("privacy_url"),
    advanced_alerts: flag("advanced_alerts").notNull().default(false),
    alert_routing: text("alert_routing", { mode: "json" }).$type<AlertRouting>().notNull().default(emptyObject),
    /** Of what the team is notified, as far as it differs from the default. */
    notify_team: text("notify_team", { mode: "json" }).$type<StoredTopics>().notNull().default(emptyObject),
    /** Grows in the batch that changes anything shown; a reader that finds an older payload rebuilds it. */
    version: integer("version").notNull().default(1),
    /** While checks of its monitors are late: the newest slot of the group that is furthest behind. The planner's alone. */
    checks_late_since: instant("checks_late_since"),
    /** Until when rules withhold alerts: by monitor id, and under PAGE_SUPPRESSION for the whole page. */
    alert_suppressions: text("alert_suppressions", { mode: "json" })
      .$type<Record<string, number>>()
      .notNull()
      .default(emptyObject),
    /** Enabled event rules, so that an event of a page without any costs no query. */
    enabled_rules: integer("enabled_rules").notNull().default(0),
    /** Those of them with conditions, which may listen to metrics. */
    metric_rules: integer("metric_rules").notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("status_pages_owner").on(table.owner_id, table.created_at),
    uniqueIndex("status_pages_external_key").on(table.owner_id, table.external_key),
    index("status_pages_late").on(table.checks_late_since).where(sql`checks_late_since IS NOT NULL`),
  ],
);
