import { and, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { MonitorSnapshot } from "../../contract/monitor-object.ts";
import type { MonitorTransition } from "../../contract/monitor-transition.ts";
import { inShard } from "../../domain/check-schedule.ts";
import type { Expiries } from "../../domain/expiries.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { invalidateDailyAggregates } from "../daily-aggregates/write.ts";
import type { Db, Statement } from "../db.ts";
import { isAmong } from "./read.ts";
import { deletedMonitors, monitors, statusIntervals, transitions } from "./table.ts";

/** Results are stored under a note for this long, and kept for 90 days. */
export const NOTED_AGAIN_AFTER_MS = 30 * DAY_MS;
const SHARD_NOTED_MS = NOTED_AGAIN_AFTER_MS + 91 * DAY_MS;

/**
 * Copies snapshots of monitors' objects, by one statement for any number; a newer one that is stored already stays.
 * `only_changes`: one that shows nothing new is not written, for the case that the caller has not read the rows.
 */
export function projectAnswers(
  db: Db,
  answers: readonly { monitor_id: string; answer: MonitorSnapshot }[],
  { only_changes = false } = {},
): Statement {
  const rows = answers.map(({ monitor_id, answer: { retry, locations_down = [], ...answer } }) => ({
    monitor_id,
    retry_at: retry?.at ?? null,
    locations_down: JSON.stringify(locations_down),
    ...answer,
  }));
  const member = (name: keyof (typeof rows)[number]) => sql`a.value ->> ${sql.raw(`'${name}'`)}`;
  return db
    .update(monitors)
    .set({
      state_revision: member("revision"),
      state_seq: member("seq"),
      status: member("status"),
      status_since: member("status_since"),
      status_message: member("message"),
      settled: member("settled"),
      locations_down: member("locations_down"),
      retry_at: member("retry_at"),
      synced_version: member("config_version"),
      synced_epoch: member("epoch"),
    })
    .from(sql`json_each(${JSON.stringify(rows)}) AS a`)
    .where(
      and(
        sql`${monitors.id} = ${member("monitor_id")} AND ${monitors.state_revision} < ${member("revision")}`,
        only_changes
          ? sql`(${monitors.state_seq}, ${monitors.status}, ${monitors.settled}, ${monitors.locations_down}, ${monitors.retry_at}, ${monitors.synced_version}, ${monitors.synced_epoch})
            IS NOT (${member("seq")}, ${member("status")}, ${member("settled")}, ${member("locations_down")}, ${member("retry_at")}, ${member("config_version")}, ${member("epoch")})`
          : undefined,
      ),
    );
}

/** What a monitor says whose status stays: how many members of a composite are down by now. */
export function restateMessage(
  db: Db,
  monitorId: string,
  { status, message }: Pick<MonitorTransition, "message"> & { status: MonitorTransition["to"] },
): Statement {
  return db
    .update(monitors)
    .set({ status_message: message })
    .where(
      and(eq(monitors.id, monitorId), eq(monitors.status, status), sql`${monitors.status_message} IS NOT ${message}`),
    );
}

/** The same from a transition, for the case that the reporting invocation ended before it could project the answer. */
function projectTransition(db: Db, monitorId: string, transition: MonitorTransition): Statement {
  return db
    .update(monitors)
    .set({
      state_seq: transition.seq,
      status: transition.to,
      status_since: transition.effective_at,
      status_message: transition.message,
    })
    .where(and(eq(monitors.id, monitorId), lt(monitors.state_seq, transition.seq)));
}

/** What a transition leaves behind: its own row, the interval that it ends, the one that it begins, the status. */
export function recordTransition(
  db: Db,
  { monitor_id: monitorId, transition, now }: { monitor_id: string; transition: MonitorTransition; now: number },
): Statement[] {
  return [
    ...invalidateDailyAggregates(db, { monitor_id: monitorId, touched_from: transition.effective_at, now }),
    db
      .insert(transitions)
      .values({
        monitor_id: monitorId,
        seq: transition.seq,
        from_status: transition.from,
        to_status: transition.to,
        decided_at: transition.at,
        effective_at: transition.effective_at,
        message: transition.message,
        outage_seq: transition.outage?.seq ?? null,
        event: transition.event,
        region: transition.region,
      })
      .onConflictDoNothing(),
    db
      .update(statusIntervals)
      // It may have been divided after the transition took effect.
      .set({ to_at: sql`max(${statusIntervals.from_at}, ${transition.effective_at})` })
      .where(and(eq(statusIntervals.monitor_id, monitorId), isEndedBy(transition))),
    db
      .insert(statusIntervals)
      .values({
        monitor_id: monitorId,
        seq: transition.seq,
        status: transition.to,
        from_at: transition.effective_at,
      })
      .onConflictDoNothing(),
    projectTransition(db, monitorId, transition),
  ];
}

function isEndedBy({ seq, follows_gap }: MonitorTransition): SQL | undefined {
  if (!follows_gap) return eq(statusIntervals.seq, seq - 1);
  return and(lt(statusIntervals.seq, seq), isNull(statusIntervals.to_at));
}

export function updateExpiries(db: Db, monitorId: string, expiries: Expiries): Statement {
  // Due at once: the sweep plans the notices of the new expiry.
  return db
    .update(monitors)
    .set({ ...expiries, expiry_notice_at: 0 })
    .where(eq(monitors.id, monitorId));
}

export function deleteTombstones(db: Db, monitorIds: readonly string[]): Statement {
  return db
    .delete(deletedMonitors)
    .where(sql`${deletedMonitors.monitor_id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`);
}

export function clearRetries(db: Db, monitorIds: readonly string[]): Statement {
  return db.update(monitors).set({ retry_at: null }).where(isAmong(monitorIds));
}

/** Takes monitors from one check group to another, unless they have left the first in the meantime. */
export function moveToGroup(db: Db, monitorIds: readonly string[], groups: { from: string; to: string }): Statement {
  return db
    .update(monitors)
    .set({ check_group_id: groups.to })
    .where(and(isAmong(monitorIds), eq(monitors.check_group_id, groups.from)));
}

/** Takes monitors from one shard to another, and from one of its check groups to that of the other. */
export function moveToShard(
  db: Db,
  monitorIds: readonly string[],
  { from, to, group, now }: { from: string; to: string; group: string; now: number },
): Statement {
  return db
    .update(monitors)
    .set({
      shard_id: to,
      other_shards: withShard(from, now),
      check_group_id: sql`CASE WHEN ${monitors.check_group_id} = ${group} THEN ${inShard(group, to)} ELSE ${monitors.check_group_id} END`,
    })
    .where(and(isAmong(monitorIds), eq(monitors.shard_id, from)));
}

/** Notes in the rows of these monitors that the objects of another shard hold results of them. */
export function noteShard(db: Db, monitorIds: readonly string[], shardId: string, now: number): Statement {
  return db
    .update(monitors)
    .set({ other_shards: withShard(shardId, now) })
    .where(isAmong(monitorIds));
}

/** With this one, without those whose results are too old by now to be kept. */
export function withShard(shardId: string, now: number): SQL {
  const noted = sql`json_set(${monitors.other_shards}, ${`$."${shardId}"`}, ${now})`;
  return sql`(SELECT json_group_object(key, value) FROM json_each(${noted}) WHERE value > ${now - SHARD_NOTED_MS})`;
}
