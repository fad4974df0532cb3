import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { chatAccounts } from "./table.ts";

export type ChatAccountRecord = typeof chatAccounts.$inferSelect;
/** Somebody in a chat. */
export type ChatPerson = Pick<ChatAccountRecord, "service" | "workspace_id" | "chat_user_id">;

const isPerson = ({ service, workspace_id, chat_user_id }: ChatPerson) =>
  and(
    eq(chatAccounts.service, service),
    eq(chatAccounts.workspace_id, workspace_id),
    eq(chatAccounts.chat_user_id, chat_user_id),
  );

/** The account for which somebody in a chat acts. */
export async function findUserOfPerson(db: Db, person: ChatPerson): Promise<UserRecord | undefined> {
  const rows = await db
    .select({ user: users })
    .from(chatAccounts)
    .innerJoin(users, eq(users.id, chatAccounts.user_id))
    .where(isPerson(person))
    .limit(1);
  return rows[0]?.user;
}

export async function listChatAccounts(db: Db, userId: string, page: { limit: number; offset: number }) {
  const mine = eq(chatAccounts.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(chatAccounts)
      .where(mine)
      .orderBy(desc(chatAccounts.created_at), desc(chatAccounts.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(chatAccounts).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findChatAccount(
  db: Db,
  { user_id, id }: { user_id: string; id: string },
): Promise<ChatAccountRecord | undefined> {
  const mine = and(eq(chatAccounts.id, id), eq(chatAccounts.user_id, user_id));
  return (await db.select().from(chatAccounts).where(mine).limit(1))[0];
}

/** The condition under which the account has as many as it may. */
export function hasManyChatAccounts(userId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${chatAccounts} WHERE ${chatAccounts.user_id} = ${userId}) >= ${max}`;
}
