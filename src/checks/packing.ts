import type { Scope } from "../access/scope.ts";
import type { Region } from "../contract/monitor-values.ts";
import { listShardsAfter, listSlowGroupsAfter, loadMembers } from "../data/check-groups/read.ts";
import { countPlaces, deleteEmptyCheckGroup, insertCheckGroup, recordSlot } from "../data/check-groups/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { moveToGroup, moveToShard } from "../data/monitors/write.ts";
import { checkGroupId, inShard, shardOf, slotBefore } from "../domain/check-schedule.ts";
import { CHECK_SIZES } from "../domain/free-plan.ts";
import { type Container, type Move, planPacking } from "../domain/packing.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { type ScheduledCheck, sendChecks } from "../platform/check-queues.ts";
import { advanceSweep } from "../sweeps/resumable-sweep.ts";
import { regionsOf } from "./enqueue.ts";
import { CONNECTIONS } from "./probe-check.ts";

/**
 * Most of what a check costs is paid by the message, so what deletions and recoveries leave sparse is filled again: the
 * members of small shards move to larger ones, and targets that hang in the slow lane of different shards are checked by
 * one message. Results stay where they are; the row of a monitor names every shard that holds some.
 */
const SHARDS_EVERY_MS = HOUR_MS;
const SLOW_GROUPS_EVERY_MS = 10 * MINUTE_MS;
/** As many shards or groups are emptied in a minute. */
const EMPTIED_MAX = 40;
const PAGE_SIZE = 1_000;
const PAGES_MAX = 50;
/** A message of targets that all hang for so long is through before the next one. */
const HANGING_SECONDS = 10;
const SLOW_GROUP_MAX = CHECK_SIZES.paid.slow;
/** The queue delays a message for half a day at most. */
const DELAY_MAX_MS = 6 * HOUR_MS;
const UNFINISHED = "unfinished";

export async function packGroups(scope: Scope): Promise<void> {
  await advanceSweep(scope, { name: "sparse shards", every_ms: SHARDS_EVERY_MS, visit: () => packShards(scope) });
  const every_ms = SLOW_GROUPS_EVERY_MS;
  await advanceSweep(scope, { name: "sparse slow groups", every_ms, visit: () => packSlowGroups(scope) });
}

async function packShards(scope: Scope): Promise<string | null> {
  const shards = await listAll((after) => listShardsAfter(scope.db, after, PAGE_SIZE));
  const alike = Map.groupBy(shards, ({ interval, regions }) => `${interval} ${regions}`);
  const moves = [...alike.values()].flatMap((each) => planPacking(each, CHECK_SIZES[scope.settings.PLAN].shard));
  return empty(moves, shards, (shard, planned) => {
    const regions = shard.regions === "" ? [] : (shard.regions.split("+") as Region[]);
    const group = checkGroupId({ shard_id: shard.id, interval: shard.interval, regions, lane: "normal" });
    return emptyShard(scope, { ...shard, regions, group }, planned);
  });
}

async function packSlowGroups(scope: Scope): Promise<string | null> {
  const groups = await listAll((after) => listSlowGroupsAfter(scope.db, after, PAGE_SIZE));
  const alike = Map.groupBy(groups, ({ id }) => inShard(id, ""));
  const max = CHECK_SIZES[scope.settings.PLAN].slow;
  const moves = [...alike.values()].flatMap((each) =>
    planPacking(each, Math.min(max, slowGroupSize(each[0]?.interval ?? 0))),
  );
  return empty(moves, groups, (group, planned) => emptySlowGroup(scope, group, planned));
}

/** As many as the connections of a message can wait for within the interval. */
export function slowGroupSize(intervalSeconds: number): number {
  const rounds = Math.max(1, Math.floor(intervalSeconds / HANGING_SECONDS));
  return Math.min(SLOW_GROUP_MAX, rounds * CONNECTIONS);
}

async function listAll<Row extends { id: string }>(list: (after: string) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const found = await list(rows.at(-1)?.id ?? "");
    rows.push(...found);
    if (found.length < PAGE_SIZE) break;
  }
  return rows;
}

/** Gives whether any is left for the next minute. */
async function empty<Row extends Container>(
  moves: readonly Move[],
  rows: readonly Row[],
  run: (row: Row, planned: Move[]) => Promise<void>,
): Promise<string | null> {
  const known = new Map(rows.map((row) => [row.id, row]));
  const donors = [...Map.groupBy(moves, ({ from }) => from)];
  for (const [from, planned] of donors.slice(0, EMPTIED_MAX)) {
    const row = known.get(from);
    if (row) await run(row, planned);
  }
  return donors.length > EMPTIED_MAX ? UNFINISHED : null;
}

interface Sparse {
  id: string;
  /** Seconds. */
  interval: number;
  regions: readonly Region[];
}

async function emptyShard(
  { db, env, now }: Scope,
  shard: Sparse & { group: string },
  moves: readonly Move[],
): Promise<void> {
  const { id: from, group, interval, regions } = shard;
  const { members, latest } = await loadMembers(db, { shard_id: from }, group);
  const portions = divide(members, moves);
  const statements = portions.flatMap(({ to, members: moved }): Statement[] => {
    const ids = moved.map(({ id }) => id);
    const receiver = { id: inShard(group, to), shard_id: to, interval, regions: [...regions], lane: "normal" as const };
    const fresh = latest.filter(([id]) => ids.includes(id));
    return [
      insertCheckGroup(db, receiver),
      moveToShard(db, ids, { from, to, group, now }),
      recordSlot(db, receiver.id, null, { fresh, replaced: ids, known: null, kept_from: 0 }),
    ];
  });
  const shards = [from, ...portions.map(({ to }) => to)];
  await runBatch(db, [...statements, deleteEmptyCheckGroup(db, group), countPlaces(db, shards)]);
  const checked = portions.flatMap(({ to, members: moved }) => {
    const ids = moved.filter(({ check_group_id }) => check_group_id === group).map(({ id }) => id);
    return bridge({ from: group, to: inShard(group, to), ids }, shard, now);
  });
  await sendChecks(env, checked, now);
}

async function emptySlowGroup({ db, env, now }: Scope, group: Sparse, moves: readonly Move[]): Promise<void> {
  const { members, latest } = await loadMembers(db, { group_id: group.id }, group.id);
  const portions = divide(members, moves).map(({ to, members: moved }) => ({ to, ids: moved.map(({ id }) => id) }));
  const statements = portions.flatMap(({ to, ids }): Statement[] => {
    const receiver = { id: to, shard_id: shardOf(to), interval: group.interval, regions: [...group.regions] };
    const fresh = latest.filter(([id]) => ids.includes(id));
    return [
      insertCheckGroup(db, { ...receiver, lane: "slow" }),
      moveToGroup(db, ids, { from: group.id, to }),
      recordSlot(db, to, null, { fresh, replaced: ids, known: null, kept_from: 0 }),
    ];
  });
  await runBatch(db, [...statements, deleteEmptyCheckGroup(db, group.id)]);
  const checked = portions.flatMap(({ to, ids }) => bridge({ from: group.id, to, ids }, group, now));
  await sendChecks(env, checked, now);
}

/** Those that came meanwhile stay; a receiver may get fewer than planned. */
function divide<Member>(members: readonly Member[], moves: readonly Move[]): { to: string; members: Member[] }[] {
  let given = 0;
  return moves
    .map(({ to, count }) => {
      given += count;
      return { to, members: members.slice(given - count, given) };
    })
    .filter(({ members: moved }) => moved.length > 0);
}

/** Where the new group is next checked later than the old one would have been, its new members are checked then, too. */
function bridge(
  { from, to, ids }: { from: string; to: string; ids: readonly string[] },
  { interval, regions }: Sparse,
  now: number,
): ScheduledCheck[] {
  const nextOf = (groupId: string) => slotBefore(groupId, interval * SECOND_MS, now) + interval * SECOND_MS;
  if (nextOf(to) <= nextOf(from)) return [];
  const slot_at = Math.min(nextOf(from), now + DELAY_MAX_MS);
  return ids.flatMap((monitor_id) =>
    regionsOf(regions).map((region) => ({
      group_id: to,
      region,
      slot_at,
      attempt: 0,
      monitor_id,
      run_at: slot_at,
    })),
  );
}
