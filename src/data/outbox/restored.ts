import { and, gt, gte, isNull, or, sql } from "drizzle-orm";
import type { Restored } from "../../contract/witness-object.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { statusPosts } from "../chat-links/table.ts";
import type { Db, Statement } from "../db.ts";
import { escalationNotifications } from "../escalations/table.ts";
import { events } from "../events/table.ts";
import { mailOutbox } from "../mail/table.ts";
import { contactMessages } from "../notify-contacts/table.ts";
import { subscriberMessages } from "../subscribers/table.ts";
import { deliveries } from "../webhooks/table.ts";

const REASON = "not sent again after the database was restored";

/** Mail that nothing attempted for as long waits for a service that can send it. */
const UNSENT_AFTER_MS = 10 * MINUTE_MS;

/**
 * Ends what a restored database calls pending although its time came while the database knew nothing: it was sent then,
 * and events were processed. What is due later stays pending, because its next attempt was still to come.
 */
export function endRestoredMessages(
  db: Db,
  { sent_before, known_until, now }: Restored & { now: number },
): Statement[] {
  const wasSent = sql`state = 'pending' AND coalesce(next_attempt_at, 0) <= ${now} AND created_at <= ${sent_before}`;
  const wasMailed = and(
    wasSent,
    or(gt(mailOutbox.attempt, 0), gte(mailOutbox.created_at, known_until - UNSENT_AFTER_MS)),
  );
  const ended = { updated_at: now, error: REASON };
  return [
    db.update(deliveries).set({ state: "skipped", throttled_owner_id: null, updated_at: now }).where(wasSent),
    db
      .update(mailOutbox)
      .set({ state: "failed", sealed: null, ...ended })
      .where(wasMailed),
    db
      .update(subscriberMessages)
      .set({ state: "failed", ...ended })
      .where(wasSent),
    db
      .update(contactMessages)
      .set({ state: "failed", ...ended })
      .where(wasSent),
    db
      .update(escalationNotifications)
      .set({ state: "cancelled", ...ended })
      .where(wasSent),
    // Further versions of a message that a channel has edit it, which may be repeated.
    db
      .update(statusPosts)
      .set({ state: "sent", updated_at: now })
      .where(and(wasSent, isNull(statusPosts.message_id))),
    db.update(events).set({ processed_at: now }).where(sql`processed_at IS NULL AND created_at <= ${sent_before}`),
    db.update(events).set({ held_until: null }).where(sql`held_until <= ${now} AND created_at <= ${sent_before}`),
    db
      .update(events)
      .set({ rules_wake_at: null, rules_check: null })
      .where(sql`rules_wake_at IS NOT NULL AND created_at <= ${sent_before}`),
  ];
}
