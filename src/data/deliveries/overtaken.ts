import { sql } from "drizzle-orm";
import { DAY_MS } from "../../lib/durations.ts";
import type { Db, Statement } from "../db.ts";
import { type StoredEvent, toEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
import { incidents } from "../incidents/table.ts";
import { monitors, transitions } from "../monitors/table.ts";
import { isAmong, WAKE_GRACE_MS } from "../outbox/rows.ts";
import { deliveries, deliveryAttempts } from "../webhooks/table.ts";
import type { DeliveryRecord } from "./read.ts";

/** Changes of a monitor of the last day that are looked at: those of fifteen minutes in which each check gave another one. */
const CHANGES_MAX = 90;

export interface AnnouncedChange {
  monitor_id: string;
  seq: number;
  event: string;
}

/** The announced changes of these monitors within a day, oldest first. */
export async function listRecentChanges(db: Db, monitorIds: readonly string[], now: number) {
  if (monitorIds.length === 0) return [];
  const rows = await db
    .select({ monitor_id: transitions.monitor_id, seq: transitions.seq, event: transitions.event })
    .from(monitors)
    .innerJoin(
      transitions,
      sql`${transitions.monitor_id} = ${monitors.id} AND ${transitions.seq} > ${monitors.state_seq} - ${CHANGES_MAX}`,
    )
    .where(
      sql`${isAmong(monitors.id, monitorIds)} AND ${transitions.event} IS NOT NULL
        AND ${transitions.decided_at} > ${now - DAY_MS}`,
    )
    .orderBy(transitions.monitor_id, transitions.seq)
    .limit(monitorIds.length * CHANGES_MAX);
  return rows.flatMap(({ event, ...row }): AnnouncedChange[] => (event === null ? [] : [{ ...row, event }]));
}

/** Those of these events that say no more what is: the monitor has another status, the incident is resolved. */
export async function listOver(db: Db, { event_ids }: { event_ids: readonly string[] }): Promise<string[]> {
  if (event_ids.length === 0) return [];
  const hasMonitor = (isSo: string) =>
    sql`EXISTS (SELECT 1 FROM ${monitors} WHERE ${monitors.id} = ${events.monitor_id} AND ${sql.raw(isSo)})`;
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(
      sql`${isAmong(events.id, event_ids)} AND CASE ${events.name}
        WHEN 'monitor.down' THEN ${hasMonitor("status IN ('up', 'degraded')")}
        WHEN 'monitor.reminder' THEN ${hasMonitor("status IN ('up', 'degraded')")}
        WHEN 'monitor.degraded' THEN ${hasMonitor("status IN ('up', 'down')")}
        WHEN 'monitor.flapping' THEN ${hasMonitor("flapping = 0")}
        ELSE EXISTS (SELECT 1 FROM ${incidents}
          WHERE ${incidents.id} = ${events.data} ->> 'incident_id' AND ${incidents.status} = 'resolved') END`,
    )
    .limit(event_ids.length);
  return rows.map(({ id }) => id);
}

interface StoredMessage {
  id: string;
  event_name: string;
  created_at: number;
  /** As that of the delivery whose message lists it. */
  state: DeliveryRecord["state"];
  /** An attempt is under way. */
  is_claimed: boolean;
  /** An attempt was not answered in time, so that the receiver may have read it. */
  may_be_read: boolean;
}

/** What became of these deliveries, those that there are. */
export async function listMessages(
  db: Db,
  ids: readonly string[],
  { now, timeout_ms }: { now: number; timeout_ms: number },
): Promise<StoredMessage[]> {
  if (ids.length === 0) return [];
  type Row = Omit<StoredMessage, "is_claimed" | "may_be_read"> & { is_claimed: number; may_be_read: number };
  const rows = await db.all<Row>(sql`
    SELECT d.id, d.event_name, d.created_at, s.state, s.lease_until >= ${now} AS is_claimed,
      EXISTS (SELECT 1 FROM ${deliveryAttempts} a WHERE a.delivery_id = s.id
        AND a.response_status IS NULL AND a.duration_ms >= ${timeout_ms}) AS may_be_read
    FROM ${deliveries} d JOIN ${deliveries} s ON s.id = coalesce(d.bundled_into, d.id)
    WHERE d.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) LIMIT ${ids.length}`);
  return rows.map(({ is_claimed, may_be_read, ...row }) => {
    return { ...row, is_claimed: is_claimed === 1, may_be_read: may_be_read === 1 };
  });
}

/** Whether the receiver read an update of the incident, sent since then. */
export async function hasReadUpdate(
  db: Db,
  { webhook_id, incident_id, since }: { webhook_id: string; incident_id: string; since: number },
): Promise<boolean> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .innerJoin(events, sql`${events.id} = ${deliveries.event_id}`)
    .where(
      sql`${deliveries.webhook_id} = ${webhook_id} AND ${deliveries.created_at} >= ${since}
        AND ${deliveries.event_name} = 'incident.updated' AND ${deliveries.state} = 'delivered'
        AND ${events.data} ->> 'incident_id' = ${incident_id}`,
    )
    .limit(1);
  return rows.length > 0;
}

export interface ListedMessage {
  id: string;
  carrier_id: string;
  created_at: number;
  event: StoredEvent;
}

/** What the messages of these deliveries list besides their own events. */
export async function listListed(db: Db, carrierIds: readonly string[], limit: number): Promise<ListedMessage[]> {
  if (carrierIds.length === 0) return [];
  const rows = await db
    .select({
      id: deliveries.id,
      carrier_id: deliveries.bundled_into,
      created_at: deliveries.created_at,
      event: events,
    })
    .from(deliveries)
    .innerJoin(events, sql`${events.id} = ${deliveries.event_id}`)
    .where(sql`${deliveries.bundled_into} IS NOT NULL AND ${isAmong(deliveries.bundled_into, carrierIds)}`)
    .limit(limit);
  return rows.flatMap(({ carrier_id, event, ...row }) =>
    carrier_id === null ? [] : [{ ...row, carrier_id, event: toEvent(event) }],
  );
}

/** Those that no attempt is under way for are never sent; but for those whose message lists others. */
export function dropMessages(db: Db, ids: readonly string[], now: number): Statement {
  return db
    .update(deliveries)
    .set({ state: "skipped", throttled_owner_id: null, next_attempt_at: null, updated_at: now })
    .where(
      sql`${isAmong(deliveries.id, ids)} AND ${deliveries.state} = 'pending' AND ${deliveries.lease_until} < ${now}
        AND coalesce(${deliveries.bundle_size}, 1) = 1`,
    );
}

/** Takes these out of the message that would have listed them. */
export function leaveOut(db: Db, ids: readonly string[], now: number): Statement {
  return db
    .update(deliveries)
    .set({ state: "skipped", bundled_into: null, updated_at: now })
    .where(sql`${isAmong(deliveries.id, ids)} AND ${deliveries.state} = 'bundled'`);
}

export function resizeBundle(db: Db, carrierId: string, size: number): Statement {
  return db.update(deliveries).set({ bundle_size: size }).where(sql`${deliveries.id} = ${carrierId}`);
}

/** Another delivery of a bundle takes the place of that whose own event is over. */
export function replaceCarrier(
  db: Db,
  { from, to, size }: { from: string; to: string; size: number },
  now: number,
): Statement[] {
  return [
    db
      .update(deliveries)
      .set({
        state: "pending",
        bundled_into: null,
        bundle_size: size,
        next_attempt_at: now,
        wake_at: now + WAKE_GRACE_MS,
      })
      .where(sql`${deliveries.id} = ${to} AND ${deliveries.bundled_into} = ${from}`),
    db
      .update(deliveries)
      .set({ bundled_into: to })
      .where(
        sql`${deliveries.bundled_into} IS NOT NULL AND ${deliveries.bundled_into} = ${from} AND ${deliveries.id} <> ${to}`,
      ),
  ];
}
