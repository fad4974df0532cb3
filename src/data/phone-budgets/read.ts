import { and, asc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { WebhookProvider } from "../../contract/webhook.ts";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { statusPages } from "../status-pages/table.ts";
import type { WebhookRecord } from "../webhooks/read.ts";
import { webhooks } from "../webhooks/table.ts";
import { phoneBudgets } from "./table.ts";

/** Channels of one account are few; each is opened to see whom it may reach. */
const LINES_MAX = 10;

/** The channels by which the owner of a page may reach its people, those of the page first. */
export function listLinesOfPage(
  db: Db,
  { provider, owner_id, page_id }: { provider: WebhookProvider; owner_id: string; page_id: string | null },
): Promise<WebhookRecord[]> {
  const ofPage = page_id === null ? undefined : eq(webhooks.status_page_id, page_id);
  return listLines(db, provider, and(eq(webhooks.owner_id, owner_id), or(isNull(webhooks.status_page_id), ofPage)));
}

/** Those of the person, and of every page that the person is a member of. */
export function listLinesOfPerson(
  db: Db,
  { provider, user_id }: { provider: WebhookProvider; user_id: string },
): Promise<WebhookRecord[]> {
  const pages = sql`SELECT ${pageMembers.status_page_id} FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${user_id}`;
  const owners = sql`SELECT ${statusPages.owner_id} FROM ${statusPages} WHERE ${statusPages.id} IN (${pages})`;
  const ofTeam = sql`${webhooks.owner_id} IN (${owners})
    AND (${webhooks.status_page_id} IS NULL OR ${webhooks.status_page_id} IN (${pages}))`;
  return listLines(db, provider, or(eq(webhooks.owner_id, user_id), ofTeam));
}

function listLines(db: Db, provider: WebhookProvider, of: SQL | undefined): Promise<WebhookRecord[]> {
  return db
    .select()
    .from(webhooks)
    .where(and(of, eq(webhooks.provider, provider), eq(webhooks.is_active, true)))
    .orderBy(sql`${webhooks.status_page_id} IS NULL`, asc(webhooks.created_at), asc(webhooks.id))
    .limit(LINES_MAX);
}

/** By channel, how many parts of the month it has sent; one that has sent none is absent. */
export async function listTakenParts(
  db: Db,
  { webhook_ids, month }: { webhook_ids: readonly string[]; month: string },
): Promise<Map<string, number>> {
  if (webhook_ids.length === 0) return new Map();
  const rows = await db
    .select({ webhook_id: phoneBudgets.webhook_id, taken: phoneBudgets.taken })
    .from(phoneBudgets)
    .where(
      and(
        sql`${phoneBudgets.webhook_id} IN (SELECT value FROM json_each(${JSON.stringify(webhook_ids)}))`,
        eq(phoneBudgets.month, month),
      ),
    )
    .limit(webhook_ids.length);
  return new Map(rows.map(({ webhook_id, taken }) => [webhook_id, taken]));
}
