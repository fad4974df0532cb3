import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Plan } from "../../contract/plan.ts";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { mailConsents } from "./table.ts";

export type MailConsentRecord = typeof mailConsents.$inferSelect;
export type MailConsentKey = Pick<MailConsentRecord, "account_id" | "address_hash">;

/** Mail of an account to an address, which is lower case as accounts have theirs. */
export interface MailWish extends MailConsentKey {
  address: string;
}

export interface MailStanding extends MailWish {
  /** Of the account; null: the operator's default. */
  plan: Plan | null;
  /** 1: the proven address of the account, or of a member of its pages. */
  is_team: number;
  /** 1: its reader agreed to mail of the account, or of a member of its pages. */
  is_agreed: number;
  stopped_at: number | null;
  asked_at: number | null;
}

/** What is known of each of these addresses; nothing of accounts that are gone. */
export function listMailStandings(db: Db, wishes: readonly MailWish[]): Promise<MailStanding[]> {
  if (wishes.length === 0) return Promise.resolve([]);
  const account = sql`w.value ->> 'account_id'`;
  const hash = sql`w.value ->> 'address_hash'`;
  const isOfTeam = (user: SQL) => sql`(${user} = ${account} OR EXISTS (SELECT 1 FROM ${pageMembers} AS m
    JOIN ${statusPages} AS p ON p.id = m.status_page_id WHERE m.user_id = ${user} AND p.owner_id = ${account}))`;
  return db.all<MailStanding>(sql`SELECT ${account} AS account_id, ${hash} AS address_hash,
      w.value ->> 'address' AS address, u.plan,
      own.stopped_at, own.asked_at,
      EXISTS (SELECT 1 FROM ${users} AS t WHERE t.email = w.value ->> 'address' AND t.email_verified_at IS NOT NULL
        AND t.deleted_at IS NULL AND ${isOfTeam(sql`t.id`)}) AS is_team,
      EXISTS (SELECT 1 FROM ${mailConsents} AS c WHERE c.address_hash = ${hash} AND c.agreed_at IS NOT NULL
        AND c.stopped_at IS NULL AND ${isOfTeam(sql`c.account_id`)}) AS is_agreed
    FROM json_each(${JSON.stringify(wishes)}) AS w
    JOIN ${users} AS u ON u.id = ${account}
    LEFT JOIN ${mailConsents} AS own ON own.address_hash = ${hash} AND own.account_id = ${account}`);
}

export async function findMailConsent(db: Db, key: MailConsentKey): Promise<MailConsentRecord | undefined> {
  const rows = await db
    .select()
    .from(mailConsents)
    .where(and(eq(mailConsents.account_id, key.account_id), eq(mailConsents.address_hash, key.address_hash)))
    .limit(1);
  return rows[0];
}
