import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { DeliveryRecord } from "../deliveries/read.ts";
import { unclaimDeliveries } from "../deliveries/write.ts";
import { isAmong, WAKE_GRACE_MS } from "../outbox/rows.ts";
import { users } from "../users/table.ts";
import { deliveries } from "../webhooks/table.ts";
import { type KeptBytes, keptMax } from "./read.ts";
import { deliveryBudgets } from "./table.ts";

/** Takes so many deliveries of this minute and gives how many are taken with them. */
export async function countDeliveries(
  db: Db,
  { owner_id, minute_at, count }: { owner_id: string; minute_at: number; count: number },
): Promise<number> {
  const isSameMinute = sql`${deliveryBudgets.minute_at} = ${minute_at}`;
  const [row] = await db
    .insert(deliveryBudgets)
    .values({ owner_id, minute_at, taken: count })
    .onConflictDoUpdate({
      target: deliveryBudgets.owner_id,
      set: {
        taken: sql`CASE WHEN ${isSameMinute} THEN ${deliveryBudgets.taken} + ${count} ELSE ${count} END`,
        minute_at,
      },
    })
    .returning({ taken: deliveryBudgets.taken });
  return row?.taken ?? 0;
}

interface Postponed {
  owner_id: string;
  next_attempt_at: number;
  wake_at: number;
  now: number;
}

/** Gives claimed deliveries back without an attempt: they wait until their owner has budget again. */
export function throttleDeliveries(
  db: Db,
  claimed: readonly Pick<DeliveryRecord, "id" | "attempt">[],
  { owner_id, next_attempt_at, wake_at, now }: Postponed,
): Statement[] {
  return [
    unclaimDeliveries(db, claimed, { throttled_owner_id: owner_id, next_attempt_at, wake_at, updated_at: now }),
    db
      .update(deliveryBudgets)
      .set({ throttled_since: sql`coalesce(${deliveryBudgets.throttled_since}, ${now})` })
      .where(eq(deliveryBudgets.owner_id, owner_id)),
  ];
}

/** Makes the newest of an owner's waiting deliveries due, and gives their ids. */
export async function releaseDeliveries(
  db: Db,
  ownerId: string,
  { limit, now }: { limit: number; now: number },
): Promise<string[]> {
  const newest = sql`SELECT id FROM ${deliveries} WHERE throttled_owner_id = ${ownerId}
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const rows = await db
    .update(deliveries)
    .set({ throttled_owner_id: null, next_attempt_at: now, wake_at: now + WAKE_GRACE_MS })
    .where(sql`${deliveries.id} IN (${newest})`)
    .returning({ id: deliveries.id, created_at: deliveries.created_at });
  return rows.sort((a, b) => b.created_at - a.created_at).map(({ id }) => id);
}

/** Where nothing of the owner waits any more. */
export function endThrottling(db: Db, ownerId: string): Statement {
  return db
    .update(deliveryBudgets)
    .set({ throttled_since: null })
    .where(
      and(
        eq(deliveryBudgets.owner_id, ownerId),
        sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE throttled_owner_id = ${ownerId})`,
      ),
    );
}

/** Deliveries that are sent do not wait. */
export function clearThrottling(db: Db, deliveryIds: readonly string[]): Statement {
  return db.update(deliveries).set({ throttled_owner_id: null }).where(isAmong(deliveries.id, deliveryIds));
}

/** Adds what attempts kept, for owners whose plan limits it. */
export function countKept(
  db: Db,
  kept: readonly { owner_id: string; bytes: number }[],
  { day_at, ...caps }: KeptBytes,
): Statement {
  const isSameDay = sql`${deliveryBudgets.day_at} = ${day_at}`;
  const added = sql`excluded.kept_bytes`;
  return db
    .insert(deliveryBudgets)
    .select(
      sql`SELECT ${users.id}, 0, 0, ${day_at}, r.value ->> 'bytes', NULL FROM json_each(${JSON.stringify(kept)}) AS r
        JOIN ${users} ON ${users.id} = r.value ->> 'owner_id' WHERE ${keptMax(caps)} IS NOT NULL`,
    )
    .onConflictDoUpdate({
      target: deliveryBudgets.owner_id,
      set: {
        kept_bytes: sql`CASE WHEN ${isSameDay} THEN ${deliveryBudgets.kept_bytes} + ${added} ELSE ${added} END`,
        day_at,
      },
    });
}
