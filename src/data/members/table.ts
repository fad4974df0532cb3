import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Capability, GrantedRole } from "../../contract/member.ts";
import { emptyList, id, instant, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

const membership = {
  role: text("role").$type<GrantedRole>().notNull(),
  /** Capabilities of a custom member; empty for all other roles. */
  capabilities: text("capabilities", { mode: "json" }).$type<Capability[]>().notNull().default(emptyList),
};

/** Who may do what on a page besides its owner, who has no row here. */
export const pageMembers = sqliteTable(
  "page_members",
  {
    id: id(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    ...membership,
    invitation_id: text("invitation_id"),
    /** The provider of sign-in whose groups gave it, and take it away; null: somebody gave it by hand. */
    given_by: text("given_by"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("page_members_once").on(table.status_page_id, table.user_id),
    index("page_members_user").on(table.user_id, table.status_page_id),
  ],
);

/** The token is stored as its SHA-256 only; with `accepted_at` it is used. */
export const pageInvitations = sqliteTable(
  "page_invitations",
  {
    id: id(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    email: text("email").notNull(),
    name: text("name"),
    ...membership,
    /** Of the token in the API's answer, which serves verified accounts alone. */
    token_hash: text("token_hash").notNull().unique(),
    /** Of the token that only the mail carries; presenting it verifies the address. */
    mail_token_hash: text("mail_token_hash").unique(),
    invited_by: text("invited_by").notNull(),
    expires_at: instant("expires_at").notNull(),
    accepted_at: instant("accepted_at"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("page_invitations_pending").on(table.status_page_id, table.email).where(sql`accepted_at IS NULL`),
    index("page_invitations_age").on(table.expires_at),
  ],
);
