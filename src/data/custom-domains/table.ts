import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DnsRecord, DomainStatus } from "../../contract/custom-domain.ts";
import type { SslType } from "../../contract/status-page.ts";
import { emptyList, instant, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";

/**
 * Host names that pages claim or have claimed. Claims of several accounts stand beside each other until one is proven. A row
 * without a page was given up, by hand or with its page; where the name had been proven, the row keeps it from other accounts
 * until `held_until`.
 */
export const customDomains = sqliteTable(
  "custom_domains",
  {
    hostname: text("hostname").notNull(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id").references(() => statusPages.id, { onDelete: "set null" }),
    ssl_type: text("ssl_type").$type<SslType>().notNull(),
    status: text("status").$type<Exclude<DomainStatus, "none">>().notNull(),
    error: text("error"),
    /** What the TXT record has to say; another one for each claim. */
    proof: text("proof").primaryKey(),
    /** The certificate's id at the provider. */
    provider_id: text("provider_id"),
    /** What the provider wants to see besides. */
    provider_records: text("provider_records", { mode: "json" }).$type<DnsRecord[]>().notNull().default(emptyList),
    claimed_at: instant("claimed_at").notNull(),
    /** When the proof was last seen; null before the first time. */
    proven_at: instant("proven_at"),
    /** Since when the proof of an active name is missing. */
    lost_since: instant("lost_since"),
    /** When the name was last seen to lead here; null before the first time. */
    aimed_at: instant("aimed_at"),
    /** Since when a name that once led here leads elsewhere. */
    astray_since: instant("astray_since"),
    next_check_at: instant("next_check_at").notNull(),
    held_until: instant("held_until"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("custom_domains_page").on(table.status_page_id),
    index("custom_domains_hostname").on(table.hostname),
    uniqueIndex("custom_domains_proven").on(table.hostname).where(sql`proven_at IS NOT NULL`),
    index("custom_domains_due").on(table.next_check_at),
    index("custom_domains_orphaned").on(table.hostname).where(sql`status_page_id IS NULL AND held_until IS NULL`),
  ],
);
