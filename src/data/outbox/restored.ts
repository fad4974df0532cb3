import { sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { escalationNotifications } from "../escalations/table.ts";
import { mailOutbox } from "../mail/table.ts";
import { subscriberMessages } from "../subscribers/table.ts";
import { deliveries } from "../webhooks/table.ts";

const REASON = "not sent again after the database was restored";

export interface LostTime {
  /** Rows that are younger were made after the database was restored. */
  made_before: number;
  now: number;
}

/**
 * Ends what a restored database calls pending although its time came while the database knew nothing: it was sent then.
 * What is due later stays pending, because its next attempt was still to come.
 */
export function endRestoredMessages(db: Db, { made_before, now }: LostTime): Statement[] {
  const wasSent = sql`state = 'pending' AND coalesce(next_attempt_at, 0) <= ${now} AND created_at <= ${made_before}`;
  const ended = { updated_at: now, error: REASON };
  return [
    db.update(deliveries).set({ state: "skipped", throttled_owner_id: null, updated_at: now }).where(wasSent),
    db
      .update(mailOutbox)
      .set({ state: "failed", sealed: null, ...ended })
      .where(wasSent),
    db
      .update(subscriberMessages)
      .set({ state: "failed", ...ended })
      .where(wasSent),
    db
      .update(escalationNotifications)
      .set({ state: "cancelled", ...ended })
      .where(wasSent),
  ];
}
