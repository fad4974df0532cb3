import { and, asc, count, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { ChatService } from "../../contract/chat-link.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { escalations } from "../escalations/table.ts";
import { isListedAlone } from "../incidents/bundles.ts";
import type { IncidentRecord } from "../incidents/read.ts";
import { incidents } from "../incidents/table.ts";
import { pageMembers } from "../members/table.ts";
import { monitors } from "../monitors/table.ts";
import { isPending, listToWake } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { chatLinkTokens, statusChannels, statusPosts } from "./table.ts";

export type ChatLinkTokenRecord = typeof chatLinkTokens.$inferSelect;
export type StatusChannelRecord = typeof statusChannels.$inferSelect;
export type StatusPostRecord = typeof statusPosts.$inferSelect;

const CHANNELS_MAX = 100;
const OPEN_MAX = 20;

export async function findLinkToken(
  db: Db,
  { token_hash, service, now }: { token_hash: string; service: ChatService; now: number },
): Promise<(ChatLinkTokenRecord & { owner_id: string; page_name: string }) | undefined> {
  const rows = await db
    .select({ token: chatLinkTokens, owner_id: statusPages.owner_id, page_name: statusPages.name })
    .from(chatLinkTokens)
    .innerJoin(statusPages, eq(statusPages.id, chatLinkTokens.status_page_id))
    .where(
      and(
        eq(chatLinkTokens.token_hash, token_hash),
        eq(chatLinkTokens.service, service),
        gt(chatLinkTokens.expires_at, now),
      ),
    )
    .limit(1);
  const [row] = rows;
  return row && { ...row.token, owner_id: row.owner_id, page_name: row.page_name };
}

export async function findStatusChannel(db: Db, channelId: string): Promise<StatusChannelRecord | undefined> {
  const rows = await db.select().from(statusChannels).where(eq(statusChannels.id, channelId)).limit(1);
  return rows[0];
}

export async function listStatusChannels(
  db: Db,
  { page_id, service }: { page_id: string; service: ChatService },
  { limit, offset }: Pagination,
) {
  const wanted = and(eq(statusChannels.status_page_id, page_id), eq(statusChannels.service, service));
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(statusChannels)
      .where(wanted)
      .orderBy(asc(statusChannels.created_at), asc(statusChannels.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(statusChannels).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The pages that a channel shows, with the role on each of them of the person who linked it besides its owner. */
export async function listPagesOfChannel(
  db: Db,
  { service, channel_id }: { service: ChatService; channel_id: string },
) {
  return db
    .select({
      id: statusPages.id,
      name: statusPages.name,
      slug: statusPages.slug,
      is_public: statusPages.is_public,
      owner_id: statusPages.owner_id,
      linked_by: statusChannels.created_by,
      linker: { role: pageMembers.role, capabilities: pageMembers.capabilities },
    })
    .from(statusChannels)
    .innerJoin(statusPages, eq(statusPages.id, statusChannels.status_page_id))
    .leftJoin(
      pageMembers,
      and(eq(pageMembers.status_page_id, statusPages.id), eq(pageMembers.user_id, statusChannels.created_by)),
    )
    .where(and(eq(statusChannels.service, service), eq(statusChannels.channel_id, channel_id)))
    .orderBy(asc(statusPages.name))
    .limit(CHANNELS_MAX);
}

/** A chat in which somebody wants a bot to write. */
export interface ChatWish {
  owner_id: string;
  service: ChatService;
  channel_id: string;
}

/** Those of these chats in which a page of that owner is shown. */
export async function listLinkedChats(db: Db, wishes: readonly ChatWish[]): Promise<ChatWish[]> {
  if (wishes.length === 0) return [];
  return db.all<ChatWish>(sql`SELECT DISTINCT w.value ->> 'owner_id' AS owner_id, c.service, c.channel_id
    FROM json_each(${JSON.stringify(wishes)}) AS w
    JOIN ${statusChannels} AS c ON c.service = w.value ->> 'service' AND c.channel_id = w.value ->> 'channel_id'
    JOIN ${statusPages} AS p ON p.id = c.status_page_id AND p.owner_id = w.value ->> 'owner_id'`);
}

/** Whether a chat shows a page that this user owns or is a member of. */
export async function isChatOfTeamOf(
  db: Db,
  { user_id, service, channel_id }: { user_id: string } & Omit<ChatWish, "owner_id">,
): Promise<boolean> {
  const rows = await db.all(sql`SELECT 1 FROM ${statusChannels} AS c
    JOIN ${statusPages} AS p ON p.id = c.status_page_id
    WHERE c.service = ${service} AND c.channel_id = ${channel_id} AND (p.owner_id = ${user_id} OR EXISTS (
      SELECT 1 FROM ${pageMembers} AS m WHERE m.status_page_id = p.id AND m.user_id = ${user_id}))
    LIMIT 1`);
  return rows.length > 0;
}

/** The channels of these pages. */
export async function listChannelsOfPages(db: Db, pageIds: readonly string[]): Promise<StatusChannelRecord[]> {
  if (pageIds.length === 0) return [];
  return db
    .select()
    .from(statusChannels)
    .where(sql`${statusChannels.status_page_id} IN (SELECT value FROM json_each(${JSON.stringify(pageIds)}))`)
    .limit(CHANNELS_MAX);
}

/** What a channel may show of a page: the numbers of its public monitors by status, and its open published incidents. */
export async function loadPageStatus(db: Db, pageId: string) {
  const [byStatus, open] = await Promise.all([
    db
      .select({ status: monitors.status, total: count() })
      .from(monitors)
      .where(
        and(
          eq(monitors.status_page_id, pageId),
          sql`${monitors.parent_monitor_id} IS NULL AND ${monitors.is_internal} = 0`,
        ),
      )
      .groupBy(monitors.status),
    db
      .select({ title: incidents.title, status: incidents.status })
      .from(incidents)
      .where(
        and(
          isListedAlone,
          eq(incidents.status_page_id, pageId),
          eq(incidents.is_public, true),
          sql`${incidents.status} <> 'resolved'`,
        ),
      )
      .orderBy(desc(incidents.started_at))
      .limit(OPEN_MAX),
  ]);
  return { by_status: byStatus, open };
}
export type PageStatus = Awaited<ReturnType<typeof loadPageStatus>>;

/** Escalations of a page that wait for an answer. */
export async function listOpenEscalations(db: Db, pageId: string) {
  return db
    .select()
    .from(escalations)
    .where(
      and(
        eq(escalations.status_page_id, pageId),
        sql`coalesce(state ->> 'status', 'active') IN ('active', 'exhausted', 'snoozed')`,
      ),
    )
    .orderBy(desc(escalations.created_at), desc(escalations.id))
    .limit(OPEN_MAX);
}

/** Open incidents of a page that were not acknowledged. */
export async function listUnansweredIncidents(db: Db, pageId: string): Promise<IncidentRecord[]> {
  return db
    .select()
    .from(incidents)
    .where(
      and(
        isListedAlone,
        eq(incidents.status_page_id, pageId),
        sql`${incidents.status} <> 'resolved'`,
        isNull(incidents.acknowledged_at),
      ),
    )
    .orderBy(desc(incidents.started_at))
    .limit(OPEN_MAX);
}

export async function findStatusPost(db: Db, postId: string) {
  const rows = await db
    .select({
      channel: statusChannels,
      page: {
        id: statusPages.id,
        name: statusPages.name,
        slug: statusPages.slug,
        is_public: statusPages.is_public,
      },
      incident: incidents,
      incident_id: statusPosts.incident_id,
    })
    .from(statusPosts)
    .innerJoin(statusChannels, eq(statusChannels.id, statusPosts.status_channel_id))
    .innerJoin(statusPages, eq(statusPages.id, statusChannels.status_page_id))
    .leftJoin(incidents, eq(incidents.id, statusPosts.incident_id))
    .where(eq(statusPosts.id, postId))
    .limit(1);
  return rows[0];
}

export function listStatusPostsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, statusPosts, {
    wakeAt: statusPosts.wake_at,
    isWaiting: isPending(statusPosts),
    dueAt: statusPosts.next_attempt_at,
    now,
    limit,
  });
}
