import { and, asc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { agents } from "../agents/table.ts";
import { statusChannels } from "../chat-links/table.ts";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** Somebody on the team of these pages of other accounts, or of all pages where they are a member. */
export interface SetUpOf {
  user_id: string;
  page_ids?: readonly string[];
}

/** What a member set up for a page that hears, shows or reads it on, regardless of later changes to the team. */
export type SetUp = Record<"webhooks" | "channels" | "agents", SetUpThing[]>;
export interface SetUpThing {
  id: string;
  name: string;
  /** Null for an agent that checks what is on several pages of this owner. */
  status_page_id: string | null;
  owner_id: string;
}

const LISTED_MAX = 100;

const pagesOf = ({ user_id, page_ids }: SetUpOf): SQL =>
  page_ids === undefined
    ? sql`(SELECT ${pageMembers.status_page_id} FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${user_id})`
    : sql`(SELECT value FROM json_each(${JSON.stringify(page_ids)}))`;
/** The indexes of what belongs to a page begin with its owner. */
const ownersOf = (of: SetUpOf): SQL =>
  sql`(SELECT ${statusPages.owner_id} FROM ${statusPages} WHERE ${statusPages.id} IN ${pagesOf(of)})`;

export function isWebhookOf(of: SetUpOf) {
  return and(
    sql`${webhooks.owner_id} IN ${ownersOf(of)}`,
    sql`${webhooks.status_page_id} IN ${pagesOf(of)}`,
    eq(webhooks.created_by, of.user_id),
    eq(webhooks.is_active, true),
  );
}

export function isChannelOf(of: SetUpOf) {
  return and(sql`${statusChannels.status_page_id} IN ${pagesOf(of)}`, eq(statusChannels.created_by, of.user_id));
}

/** Enrolled by them, and of the page or checking what is on it. */
export function isAgentOf(of: SetUpOf) {
  const checks = sql`EXISTS (SELECT 1 FROM ${monitors} m WHERE m.agent_id = ${agents.id} AND m.status_page_id IN ${pagesOf(of)})`;
  return and(
    sql`${agents.owner_id} IN ${ownersOf(of)}`,
    sql`coalesce(${agents.enrolled_by}, ${agents.created_by}) = ${of.user_id}`,
    isNotNull(agents.token_hash),
    sql`(${agents.status_page_id} IN ${pagesOf(of)} OR ${checks})`,
  );
}

export async function listSetUpOf(db: Db, of: SetUpOf): Promise<SetUp> {
  const [hooks, channels, enrolled] = await db.batch([
    db
      .select({
        id: webhooks.id,
        name: webhooks.name,
        status_page_id: webhooks.status_page_id,
        owner_id: webhooks.owner_id,
      })
      .from(webhooks)
      .where(isWebhookOf(of))
      .orderBy(asc(webhooks.created_at))
      .limit(LISTED_MAX),
    db
      .select({
        id: statusChannels.id,
        name: sql<string>`${statusChannels.service} || ' ' || coalesce(${statusChannels.name}, ${statusChannels.channel_id})`,
        status_page_id: statusChannels.status_page_id,
        owner_id: statusChannels.owner_id,
      })
      .from(statusChannels)
      .where(isChannelOf(of))
      .orderBy(asc(statusChannels.created_at))
      .limit(LISTED_MAX),
    db
      .select({ id: agents.id, name: agents.name, status_page_id: agents.status_page_id, owner_id: agents.owner_id })
      .from(agents)
      .where(isAgentOf(of))
      .orderBy(asc(agents.created_at))
      .limit(LISTED_MAX),
  ]);
  return { webhooks: hooks, channels, agents: enrolled };
}
