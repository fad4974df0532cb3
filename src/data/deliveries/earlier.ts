import { sql } from "drizzle-orm";
import { DAY_MS } from "../../lib/durations.ts";
import type { Db } from "../db.ts";
import { monitors, transitions } from "../monitors/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { deliveries } from "../webhooks/table.ts";

/** The newest changes of a monitor, silent ones included: of more of them at a time the order does not matter. */
const CHANGES_MAX = 8;

/** The last announced changes of these monitors, a few of each. */
export function listLastChanges(db: Db, monitorIds: readonly string[], now: number) {
  return db
    .select({ monitor_id: transitions.monitor_id, seq: transitions.seq })
    .from(monitors)
    .innerJoin(
      transitions,
      sql`${transitions.monitor_id} = ${monitors.id} AND ${transitions.seq} > ${monitors.state_seq} - ${CHANGES_MAX}`,
    )
    .where(
      sql`${isAmong(monitors.id, monitorIds)} AND ${transitions.event} IS NOT NULL
        AND ${transitions.decided_at} > ${now - DAY_MS}`,
    )
    .limit(monitorIds.length * CHANGES_MAX);
}

/** Those of these deliveries that are being attempted, or about to be; not those that wait for a retry or a budget. */
export async function listUnderWay(db: Db, ids: readonly string[], now: number): Promise<string[]> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      sql`${isAmong(deliveries.id, ids)} AND ${deliveries.state} = 'pending' AND ${deliveries.throttled_owner_id} IS NULL
        AND ${deliveries.next_attempt_at} <= ${now} AND (${deliveries.lease_until} >= ${now} OR ${deliveries.attempt} = 0)`,
    )
    .limit(ids.length);
  return rows.map(({ id }) => id);
}

/** Those of these deliveries that another invocation has claimed, whether or not it still lives. */
export async function listClaimed(db: Db, ids: readonly string[], now: number): Promise<string[]> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      sql`${isAmong(deliveries.id, ids)} AND ${deliveries.state} = 'pending' AND ${deliveries.lease_until} >= ${now}`,
    )
    .limit(ids.length);
  return rows.map(({ id }) => id);
}
