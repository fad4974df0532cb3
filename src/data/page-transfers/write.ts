import { and, eq, isNotNull, lte, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { agents } from "../agents/table.ts";
import { customDomains } from "../custom-domains/table.ts";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { dropForeignDependencies } from "../dependencies/write.ts";
import { escalations } from "../escalations/table.ts";
import { eventLog, eventRules } from "../event-rules/table.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { incidents } from "../incidents/table.ts";
import { monitorLocations } from "../locations/table.ts";
import { maintenance } from "../maintenance/table.ts";
import { pageInvitations, pageMembers } from "../members/table.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { escalationPolicies, onCallSchedules } from "../on-call/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { subscribers } from "../subscribers/table.ts";
import { webhooks } from "../webhooks/table.ts";
import type { PageTransferRecord } from "./read.ts";
import { pageTransfers } from "./table.ts";

/** Everything that belongs to the owner of the page that it is on. Agents stay with their account, and so does the past. */
const OWNED = [
  monitorGroups,
  incidents,
  incidentTemplates,
  maintenance,
  webhooks,
  eventRules,
  eventLog,
  escalationPolicies,
  onCallSchedules,
  escalations,
  subscribers,
  customDomains,
] as const satisfies readonly (SQLiteTable & { owner_id: SQLiteColumn; status_page_id: SQLiteColumn })[];

/** A new offer of a page ends the one before. */
export function insertPageTransfer(db: Db, transfer: PageTransferRecord): Statement[] {
  return [
    db.delete(pageTransfers).where(eq(pageTransfers.status_page_id, transfer.status_page_id)),
    db.insert(pageTransfers).values(transfer),
  ];
}

export function deletePageTransfer(db: Db, transferId: string): Statement {
  return db.delete(pageTransfers).where(eq(pageTransfers.id, transferId));
}

/** After a membership ended: the offers of that page's owner to somebody who is on none of their pages any more. */
export function deleteTransfersToOutsider(
  db: Db,
  { status_page_id, user_id }: { status_page_id: string; user_id: string },
): Statement {
  const owned = sql`SELECT p.id FROM ${statusPages} p
    WHERE p.owner_id = (SELECT o.owner_id FROM ${statusPages} o WHERE o.id = ${status_page_id})`;
  const isOutsider = sql`NOT EXISTS (SELECT 1 FROM ${pageMembers} m WHERE m.user_id = ${user_id} AND m.status_page_id IN (${owned}))`;
  return db
    .delete(pageTransfers)
    .where(and(sql`${pageTransfers.status_page_id} IN (${owned})`, eq(pageTransfers.to_user_id, user_id), isOutsider));
}

export function deleteTransfersExpiredBefore(db: Db, instant: number): Statement {
  return deleteSome(db, pageTransfers, lte(pageTransfers.expires_at, instant));
}

interface Handover {
  page_id: string;
  to_user_id: string;
  now: number;
}

/**
 * Gives a page and all that is on it to another account. What agents alone checked is paused until an agent is chosen; what
 * the edge checks, too, goes on there.
 */
export function handOverPage(db: Db, { page_id, to_user_id, now }: Handover): Statement[] {
  const moved = OWNED.map((table) => {
    const update: { set: (values: object) => { where: (condition: SQL | undefined) => Statement } } = db.update(table);
    return update.set({ owner_id: to_user_id }).where(eq(table.status_page_id, page_id));
  });
  const onPage = eq(monitors.status_page_id, page_id);
  return [
    db
      .update(statusPages)
      .set({ owner_id: to_user_id, updated_at: now, version: sql`${statusPages.version} + 1` })
      .where(eq(statusPages.id, page_id)),
    db
      .update(monitors)
      .set({ agent_id: null, paused: true })
      .where(and(eq(monitors.status_page_id, page_id), isNotNull(monitors.agent_id))),
    db
      .update(monitors)
      .set({ paused: true })
      .where(and(onPage, ne(monitors.locations, []), eq(monitors.check_group_id, ""))),
    db
      .update(monitors)
      .set({ locations: [] })
      .where(and(onPage, ne(monitors.locations, []))),
    db
      .delete(monitorLocations)
      .where(
        sql`${monitorLocations.monitor_id} IN (SELECT m.id FROM ${monitors} m WHERE m.status_page_id = ${page_id})`,
      ),
    db
      .update(monitors)
      .set({ owner_id: to_user_id, config_version: sql`${monitors.config_version} + 1`, updated_at: now })
      .where(eq(monitors.status_page_id, page_id)),
    dropForeignDependencies(db, sql`(SELECT m.id FROM ${monitors} m WHERE m.status_page_id = ${page_id})`),
    db.update(agents).set({ status_page_id: null, updated_at: now }).where(eq(agents.status_page_id, page_id)),
    ...moved,
  ];
}

/** The new owner is no member any more, and needs no invitation. */
export function removeFromTeam(
  db: Db,
  { page_id, user_id, email }: { page_id: string; user_id: string; email: string },
): Statement[] {
  return [
    db.delete(pageMembers).where(and(eq(pageMembers.status_page_id, page_id), eq(pageMembers.user_id, user_id))),
    db
      .delete(pageInvitations)
      .where(and(eq(pageInvitations.status_page_id, page_id), eq(pageInvitations.email, email))),
  ];
}
