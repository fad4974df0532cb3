import type { Deps } from "../access/scope.ts";
import { listGroupsAfter, listKnowingMembers, listLatest, type PlannedGroup } from "../data/check-groups/read.ts";
import { runBatch } from "../data/db.ts";
import { listLostRetries, listUnsynced } from "../data/monitors/read.ts";
import { forgetRetries } from "../data/monitors/write.ts";
import { staleAfterMs } from "../domain/check-schedule.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { enqueueChecks } from "./enqueue.ts";
import { projectionOf, syncMonitor } from "./projection.ts";

const PAGE_SIZE = 500;
const MONITORS_MAX = 500;
/** What a request or a message finishes by itself is left to it for this long. */
const GRACE_MS = 30_000;

/** Finds what fell silent, whatever swallowed it: objects behind their configuration, repeats, whole groups. */
export async function sweepChecks(deps: Deps): Promise<void> {
  const before = deps.now() - GRACE_MS;
  for (const { id, config_version } of await listUnsynced(deps.db, before, MONITORS_MAX)) {
    await syncMonitor(deps, id, config_version);
  }
  const lost = await listLostRetries(deps.db, before, MONITORS_MAX);
  await enqueueChecks(deps.env, lost, deps.now());
  if (lost.length > 0) {
    await runBatch(deps.db, [
      forgetRetries(
        deps.db,
        lost.map(({ id }) => id),
      ),
    ]);
  }
  await markStaleGroups(deps);
}

async function markStaleGroups(deps: Deps): Promise<void> {
  for (let after = "", full = true; full; ) {
    const groups = await listGroupsAfter(deps.db, after, PAGE_SIZE);
    for (const group of groups.filter((each) => isStale(each, deps.now()))) await markGroup(deps, group);
    after = groups.at(-1)?.id ?? after;
    full = groups.length === PAGE_SIZE;
  }
}

function isStale({ last_slot_at, interval }: PlannedGroup, now: number): boolean {
  return last_slot_at !== null && now - last_slot_at > staleAfterMs(interval);
}

async function markGroup(deps: Deps, group: PlannedGroup): Promise<void> {
  const members = await listKnowingMembers(deps.db, group.id);
  if (members.length === 0) return;
  const judged = new Map((await listLatest(deps.db, [group.id])).map((packed) => [packed[0], packed[6]]));
  for (const member of members) {
    const last_result_at = judged.get(member.id) ?? null;
    if (last_result_at !== null && deps.now() - last_result_at <= staleAfterMs(group.interval)) continue;
    const silence = { last_result_at, reason: "no check ran for too long" };
    const answer = await monitorObject(deps.env, member.id).markStale(member.id, member.config_version, silence);
    if (answer) await runBatch(deps.db, projectionOf(deps, member, answer));
  }
}
