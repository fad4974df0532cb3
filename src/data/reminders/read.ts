import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { monitors, transitions } from "../monitors/table.ts";
import { outages } from "../outages/table.ts";
import { isAlertable } from "../suppressed-outages/read.ts";
import { deliveries, isReminding, webhooks } from "../webhooks/table.ts";
import { webhookReminders } from "./table.ts";

/** The latest instant that is a whole number of intervals after the outage was decided. */
const dueAt = (now: number) =>
  sql<number>`(${now} - (${now} - ${transitions.decided_at}) % (${webhooks.remind_every_minutes} * 60000))`;

export type DueReminder = Awaited<ReturnType<typeof listDueReminders>>[number];

/** Whether any webhook wants reminders: one row read in an installation where none does. */
export async function hasReminding(db: Db): Promise<boolean> {
  const rows = await db.select({ id: webhooks.id }).from(webhooks).where(isReminding).limit(1);
  return rows.length > 0;
}

/**
 * Open outages of which a webhook is to be reminded and was not yet, those that became due last first. None of a monitor
 * that flaps or whose alerts are withheld, none of an outage whose incident was acknowledged.
 */
export function listDueReminders(db: Db, now: number, limit: number) {
  const due_at = dueAt(now);
  const outage_id = sql`${outages.monitor_id} || '/' || ${outages.seq}`;
  return (
    db
      .select({
        webhook_id: webhooks.id,
        provider: webhooks.provider,
        every_minutes: sql<number>`${webhooks.remind_every_minutes}`,
        due_at,
        decided_at: transitions.decided_at,
        started_at: outages.started_at,
        // How many members of a composite are down changes while its outage goes on.
        cause: sql<string>`CASE ${monitors.type} WHEN 'composite' THEN coalesce(${monitors.status_message}, ${outages.cause})
          ELSE ${outages.cause} END`,
        seq: outages.seq,
        /** Null where no check found the outage. */
        region: transitions.region,
        monitor: {
          id: monitors.id,
          name: monitors.name,
          owner_id: monitors.owner_id,
          status_page_id: monitors.status_page_id,
          parent_monitor_id: monitors.parent_monitor_id,
        },
        incident_id: sql<string | null>`coalesce(${incidents.bundle_id}, ${incidents.id})`,
      })
      // In this order, because few outages are open and few webhooks want reminders.
      .from(outages)
      .crossJoin(monitors)
      .crossJoin(webhooks)
      .crossJoin(transitions)
      .leftJoin(incidents, eq(incidents.origin_outage_id, outage_id))
      .leftJoin(
        webhookReminders,
        and(eq(webhookReminders.webhook_id, webhooks.id), eq(webhookReminders.monitor_id, outages.monitor_id)),
      )
      .where(
        and(
          isNull(outages.ended_at),
          eq(monitors.id, outages.monitor_id),
          isAlertable(now),
          eq(monitors.flapping, false),
          isReminding,
          eq(webhooks.owner_id, monitors.owner_id),
          or(isNull(webhooks.status_page_id), eq(webhooks.status_page_id, monitors.status_page_id)),
          eq(transitions.monitor_id, outages.monitor_id),
          eq(transitions.seq, outages.seq),
          sql`${now} - ${transitions.decided_at} >= ${webhooks.remind_every_minutes} * 60000`,
          isNull(incidents.acknowledged_at),
          sql`(${webhookReminders.outage_seq} IS NOT ${outages.seq} OR ${webhookReminders.due_at} < ${due_at})`,
        ),
      )
      .orderBy(sql`${due_at} DESC`)
      .limit(limit)
  );
}

/** Those of these deliveries that were sent, or tried, with the instant at which they were routed. */
export async function listAnnounced(db: Db, deliveryIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: deliveries.id, created_at: deliveries.created_at })
    .from(deliveries)
    .where(
      and(
        sql`${deliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(deliveryIds)}))`,
        sql`${deliveries.state} NOT IN ('skipped', 'pending')`,
      ),
    )
    .limit(deliveryIds.length);
  return new Map(rows.map(({ id, created_at }) => [id, created_at]));
}
