import { and, eq, lt, sql } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { MembershipsOf } from "../members/read.ts";
import { claim, isAmong, isPending, WAKE_GRACE_MS } from "../outbox/rows.ts";
import type { ChatLinkTokenRecord, StatusChannelRecord, StatusPostRecord } from "./read.ts";
import { chatLinkTokens, chatRequests, statusChannels, statusPosts } from "./table.ts";

export function insertLinkToken(db: Db, token: ChatLinkTokenRecord): Statement {
  return db.insert(chatLinkTokens).values(token);
}

export function deleteLinkToken(db: Db, tokenHash: string): Statement {
  return db.delete(chatLinkTokens).where(eq(chatLinkTokens.token_hash, tokenHash));
}

/** The link tokens that a user created for a page. */
export function deleteLinkTokensBy(db: Db, by: MembershipsOf): Statement {
  return db
    .delete(chatLinkTokens)
    .where(and(isAmong(chatLinkTokens.status_page_id, by.page_ids), eq(chatLinkTokens.created_by, by.user_id)));
}

/** Another request has used the token. */
export function isTokenUsed(tokenHash: string) {
  return sql`NOT EXISTS (SELECT 1 FROM ${chatLinkTokens} WHERE token_hash = ${tokenHash})`;
}

/** A channel that is linked already stays linked. */
export function insertStatusChannel(db: Db, channel: StatusChannelRecord): Statement {
  return db.insert(statusChannels).values(channel).onConflictDoNothing();
}

export function deleteStatusChannel(db: Db, channelId: string): Statement {
  return db.delete(statusChannels).where(eq(statusChannels.id, channelId));
}

/** Whether this is the first request with the id. */
export async function recordChatRequest(db: Db, id: string, now: number): Promise<boolean> {
  const rows = await db
    .insert(chatRequests)
    .values({ id, created_at: now })
    .onConflictDoNothing()
    .returning({ id: chatRequests.id });
  return rows.length === 1;
}

/** The service may send a request again that failed on our side. */
export async function deleteChatRequest(db: Db, id: string): Promise<void> {
  await db.delete(chatRequests).where(eq(chatRequests.id, id));
}

export function deleteChatRequestsBefore(db: Db, before: number): Statement {
  return deleteSome(db, chatRequests, lt(chatRequests.created_at, before));
}

export function deleteExpiredLinkTokens(db: Db, now: number): Statement {
  return deleteSome(db, chatLinkTokens, lt(chatLinkTokens.expires_at, now));
}

/** Makes a message show what is true now: it is sent, or edited once it was. */
export function upsertStatusPost(
  db: Db,
  post: Pick<StatusPostRecord, "id" | "status_channel_id" | "incident_id">,
  now: number,
): Statement {
  const due = { state: "pending", next_attempt_at: now, wake_at: now + WAKE_GRACE_MS, updated_at: now } as const;
  return db
    .insert(statusPosts)
    .values({ ...post, ...due, created_at: now })
    .onConflictDoUpdate({ target: statusPosts.id, set: { ...due, failures: 0, version: sql`version + 1` } });
}

export async function claimStatusPost(
  db: Db,
  id: string,
  times: { now: number; lease_until: number },
): Promise<StatusPostRecord | undefined> {
  return (await claim(db, statusPosts, id, times))[0];
}

interface Settlement {
  message_id: string | null;
  error: string | null;
  /** Null: there is no further attempt. */
  retry_at: number | null;
  now: number;
}

/** Records an attempt. A change since it was claimed leaves the message to be edited again. */
export function settleStatusPost(
  db: Db,
  { id, attempt, version, failures }: StatusPostRecord,
  { message_id, error, retry_at, now }: Settlement,
): Statement {
  const ended = error === null ? "sent" : "failed";
  const state = retry_at === null ? sql`CASE WHEN version = ${version} THEN ${ended} ELSE 'pending' END` : "pending";
  return db
    .update(statusPosts)
    .set({
      message_id,
      error,
      lease_until: 0,
      updated_at: now,
      failures: error === null ? 0 : failures + 1,
      state: sql`${state}`,
      next_attempt_at: retry_at ?? now,
      wake_at: (retry_at ?? now) + WAKE_GRACE_MS,
    })
    .where(and(eq(statusPosts.id, id), eq(statusPosts.attempt, attempt), isPending(statusPosts)));
}
