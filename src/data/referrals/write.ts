import { eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { users } from "../users/table.ts";
import { referrals } from "./table.ts";

interface Counted {
  clicks: 0 | 1;
  signups: 0 | 1;
}

/** Adds to the counts of a user; a user that is gone has none. */
function count(db: Db, userId: string, { clicks, signups }: Counted, now: number) {
  const first = db
    .select({
      user_id: users.id,
      clicks: sql<number>`${clicks}`.as("clicks"),
      signups: sql<number>`${signups}`.as("signups"),
      credits_redeemed: sql<number>`0`.as("credits_redeemed"),
      created_at: sql<number>`${now}`.as("created_at"),
      updated_at: sql<number>`${now}`.as("updated_at"),
    })
    .from(users)
    .where(eq(users.id, userId));
  const set = {
    clicks: sql`${referrals.clicks} + ${clicks}`,
    signups: sql`${referrals.signups} + ${signups}`,
    updated_at: now,
  };
  return db.insert(referrals).select(first).onConflictDoUpdate({ target: referrals.user_id, set });
}

/** Returns false when no such user exists; then nothing is written. */
export async function countClick(db: Db, userId: string, now: number): Promise<boolean> {
  const counted = await count(db, userId, { clicks: 1, signups: 0 }, now).returning({ user_id: referrals.user_id });
  return counted.length > 0;
}

/** For the user whose invitation opened a new account. */
export function countSignup(db: Db, userId: string, now: number): Statement {
  return count(db, userId, { clicks: 0, signups: 1 }, now);
}

export function redeemCredits(db: Db, userId: string, { credits, now }: { credits: number; now: number }): Statement {
  return db
    .update(referrals)
    .set({ credits_redeemed: sql`${referrals.credits_redeemed} + ${credits}`, updated_at: now })
    .where(eq(referrals.user_id, userId));
}
