import { env } from "cloudflare:workers";
import { openDb } from "../../src/data/db.ts";
import { referrals } from "../../src/data/referrals/table.ts";

/** What a user's referral code brought so far. */
export async function insertReferrals(user_id: string, fields: { clicks?: number; signups?: number }): Promise<void> {
  const now = Date.now();
  const record = { user_id, ...fields, created_at: now, updated_at: now };
  await openDb(env.DB).insert(referrals).values(record).onConflictDoUpdate({ target: referrals.user_id, set: fields });
}
