import { getTableName } from "drizzle-orm";
import { statusPosts } from "../chat-links/table.ts";
import { escalationNotifications } from "../escalations/table.ts";
import { events } from "../events/table.ts";
import { mailOutbox } from "../mail/table.ts";
import { contactMessages } from "../notify-contacts/table.ts";
import { subscriberMessages } from "../subscribers/table.ts";
import { deliveries } from "../webhooks/table.ts";

const OUTBOXES = [
  deliveries,
  subscriberMessages,
  mailOutbox,
  escalationNotifications,
  statusPosts,
  contactMessages,
].map(getTableName);

/**
 * Releases what a process had claimed that is no more, and whose messages were lost with it: the next sweep wakes each row
 * when it is due. For the one process of a machine before it starts; on Cloudflare claims lapse and queues keep messages.
 * What waits for its owner's budget stays with the sweep of budgets.
 */
export const RELEASE_ABANDONED: readonly string[] = [
  ...OUTBOXES.map((table) => {
    const isUnthrottled = table === getTableName(deliveries) ? " AND throttled_owner_id IS NULL" : "";
    return `UPDATE ${table} SET lease_until = 0, wake_at = coalesce(next_attempt_at, 0)
      WHERE state = 'pending'${isUnthrottled}`;
  }),
  `UPDATE ${getTableName(events)} SET wake_at = 0 WHERE processed_at IS NULL`,
  `UPDATE ${getTableName(events)} SET rules_wake_at = 0 WHERE rules_wake_at IS NOT NULL`,
];
