import { eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { referrals } from "./table.ts";

export type ReferralRecord = typeof referrals.$inferSelect;

export async function findReferral(db: Db, userId: string): Promise<ReferralRecord | undefined> {
  const rows = await db.select().from(referrals).where(eq(referrals.user_id, userId)).limit(1);
  return rows[0];
}

/** The condition under which a user has fewer credits left than this. */
export function hasFewerCredits(userId: string, credits: number): SQL {
  return sql`coalesce((SELECT ${referrals.signups} - ${referrals.credits_redeemed} FROM ${referrals} WHERE ${referrals.user_id} = ${userId}), 0) < ${credits}`;
}
