import { and, count, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";
import type { StatusPageRecord } from "../status-pages/read.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { pageTransfers } from "./table.ts";

export type PageTransferRecord = typeof pageTransfers.$inferSelect;

export async function findPageTransfer(db: Db, transferId: string): Promise<PageTransferRecord | undefined> {
  const rows = await db.select().from(pageTransfers).where(eq(pageTransfers.id, transferId)).limit(1);
  return rows[0];
}

/**
 * Whether the receiver of an offer is still a member of any page of who made it. Spelled out where a condition of a batch
 * and a query both need it.
 */
const isReceiverOnTeam = (transfer: SQL) =>
  sql`EXISTS (SELECT 1 FROM ${pageMembers} m JOIN ${statusPages} owned ON owned.id = m.status_page_id
    WHERE m.user_id = ${transfer}.to_user_id AND owned.owner_id = ${transfer}.from_user_id)`;
const onTeam = isReceiverOnTeam(sql`${pageTransfers}`);

/** The offer that a token accepts, with its page, as long as that belongs to who offered it and the receiver is on the team. */
export async function findTransferByToken(
  db: Db,
  tokenHash: string,
): Promise<{ transfer: PageTransferRecord; page: StatusPageRecord; owner_email: string } | undefined> {
  const rows = await db
    .select({ transfer: pageTransfers, page: statusPages, owner_email: users.email })
    .from(pageTransfers)
    .innerJoin(
      statusPages,
      and(eq(statusPages.id, pageTransfers.status_page_id), eq(statusPages.owner_id, pageTransfers.from_user_id)),
    )
    .innerJoin(users, eq(users.id, pageTransfers.from_user_id))
    .where(and(eq(pageTransfers.token_hash, tokenHash), onTeam))
    .limit(1);
  return rows[0];
}

/** The offer of a page that can be accepted now, with the person to whom it is made. */
export async function findOpenTransfer(db: Db, { status_page_id, now }: { status_page_id: string; now: number }) {
  const rows = await db
    .select({ id: pageTransfers.id, expires_at: pageTransfers.expires_at, name: users.name, email: users.email })
    .from(pageTransfers)
    .innerJoin(users, eq(users.id, pageTransfers.to_user_id))
    .where(and(eq(pageTransfers.status_page_id, status_page_id), gt(pageTransfers.expires_at, now), onTeam))
    .limit(1);
  return rows[0];
}

/** The condition under which an offer was accepted, replaced or ended since it was read, or its receiver left the team. */
export function isTransferGone({
  id,
  status_page_id,
  from_user_id,
}: Pick<PageTransferRecord, "id" | "status_page_id" | "from_user_id">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${pageTransfers} t JOIN ${statusPages} p ON p.id = t.status_page_id
    WHERE t.id = ${id} AND p.id = ${status_page_id} AND p.owner_id = ${from_user_id} AND ${isReceiverOnTeam(sql`t`)})`;
}

/** Whether this person is a member of any page of this owner, and so known to them. */
export async function isMemberOfOwner(db: Db, ids: { owner_id: string; user_id: string }): Promise<boolean> {
  const rows = await db
    .select({ found: count() })
    .from(pageMembers)
    .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
    .where(and(eq(pageMembers.user_id, ids.user_id), eq(statusPages.owner_id, ids.owner_id)));
  return (rows[0]?.found ?? 0) > 0;
}

export function listMonitorsOfPage(db: Db, pageId: string): Promise<MonitorRecord[]> {
  return db.select().from(monitors).where(eq(monitors.status_page_id, pageId));
}

/** The condition under which the monitors of a page are not those that were checked. */
export function haveMonitorsChanged(pageId: string, checked: readonly MonitorRecord[]): SQL {
  const versions = JSON.stringify(Object.fromEntries(checked.map(({ id, config_version }) => [id, config_version])));
  return sql`((SELECT count(*) FROM ${monitors} WHERE ${monitors.status_page_id} = ${pageId}) <> ${checked.length}
    OR EXISTS (SELECT 1 FROM json_each(${versions}) j LEFT JOIN ${monitors} m ON m.id = j.key
      WHERE m.config_version IS NOT j.value OR m.status_page_id IS NOT ${pageId}))`;
}
