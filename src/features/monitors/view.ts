import { showSecrets } from "../../access/monitor-secrets.ts";
import { findMembership } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { listLatestOfAgents } from "../../data/agent-results/read.ts";
import { listLastSeen } from "../../data/agents/read.ts";
import { type CheckGroupState, listCheckGroupStates } from "../../data/check-groups/read.ts";
import { listParents } from "../../data/dependencies/read.ts";
import { type ListedMonitor, listChildren } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { PackedResult } from "../../data/monitors/table.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { monitorType } from "../../probes/registry.ts";
import { findLastPush, isPushed, NO_ACCESS, type PushAccess, pushAccessOf } from "../push/service.ts";

/** A monitor with everything that its answer needs, secrets already masked where the caller may not read them. */
export interface MonitorDetail<Shown extends ListedMonitor = MonitorRecord> {
  record: Shown;
  target: string | null;
  fields: Record<string, unknown>;
  child_ids: string[];
  /** What it depends on, as far as the caller may see that. */
  parents: { id: string; name: string; status: MonitorStatus }[];
  latest: PackedResult | undefined;
  /** The newest slot of its schedule that was checked. */
  last_slot_at: number | null;
  /** Of a heartbeat: when the next one is due. */
  next_expected_at: number | null;
  /** Of a monitor that is looked at by itself. */
  push: PushAccess;
}

/** 0 where it is known that the monitor depends on nothing, so that nobody asks. */
interface MaybeDependent {
  is_dependent?: number;
}

/** Pushed monitors of one answer whose objects are asked for their newest push, which the database does not hold. */
const ASKED_MAX = 100;
const ASKED_AT_ONCE = 20;

/**
 * Costs a fixed number of queries, however many monitors there are. New monitors come with their check groups: nothing else is
 * known of them yet.
 */
export async function loadMonitorDetails<Shown extends ListedMonitor & MaybeDependent>(
  ctx: RequestScope,
  records: readonly Shown[],
  groupsOfNew?: readonly CheckGroupState[],
): Promise<MonitorDetail<Shown>[]> {
  const composites = records.filter(({ type }) => monitorType(type).follows === "members");
  const groupIds = [...new Set(records.map((record) => record.check_group_id))].filter((id) => id !== "");
  const pushed = groupsOfNew ? [] : records.filter(isPushed).slice(0, ASKED_MAX);
  const followers = records.filter(({ type }) => monitorType(type).follows === "agent");
  const [runs, fromAgents, seen, members, parents, pushes] = await Promise.all([
    groupsOfNew ?? listCheckGroupStates(ctx.db, groupIds),
    listLatestOfAgents(ctx.db, records),
    listLastSeen(
      ctx.db,
      followers.flatMap(({ agent_id }) => agent_id ?? []),
    ),
    listChildren(
      ctx.db,
      composites.map(({ id }) => id),
    ),
    listVisibleParents(
      ctx,
      records.filter(({ is_dependent }) => is_dependent !== 0),
    ),
    mapConcurrently(pushed, ASKED_AT_ONCE, (record) => findLastPush(ctx, record)),
  ]);
  const known = [
    ...runs.flatMap((run) => run.latest),
    ...fromAgents,
    ...followers.flatMap((record) => findLastCall(record, seen)),
    ...pushes.flatMap((push) => (push?.latest ? [push.latest] : [])),
  ];
  const nextExpected = new Map(
    pushes.flatMap((push) => (push ? [[push.monitor_id, push.next_expected_at] as const] : [])),
  );
  const latest = new Map(known.map((packed) => [packed[0], packed]));
  const children = Map.groupBy(members, ({ parent_monitor_id }) => parent_monitor_id);
  const parentsOf = Map.groupBy(parents, ({ monitor_id }) => monitor_id);
  const slots = new Map(runs.map(({ id, last_slot_at }) => [id, last_slot_at]));
  return Promise.all(
    records.map(async (record) => ({
      record,
      ...(await openFor(ctx, record)),
      child_ids: (children.get(record.id) ?? []).map(({ id }) => id),
      parents: (parentsOf.get(record.id) ?? []).map(({ parent }) => parent),
      latest: latest.get(record.id) ?? record.last_result ?? undefined,
      last_slot_at: slots.get(record.check_group_id) ?? null,
      next_expected_at: nextExpected.get(record.id) ?? null,
      push: NO_ACCESS,
    })),
  );
}

async function listVisibleParents(ctx: RequestScope, records: readonly ListedMonitor[]) {
  const parents = await listParents(
    ctx.db,
    records.map(({ id }) => id),
  );
  return visibleParents(ctx, parents);
}

/** Those on pages of the caller; a page is read once for all. */
export async function visibleParents<Row extends { parent: { owner_id: string; status_page_id: string | null } }>(
  ctx: RequestScope,
  parents: readonly Row[],
): Promise<Row[]> {
  const memberships = await Promise.all(parents.map(({ parent }) => findMembership(ctx, parent)));
  return parents.filter((_, n) => memberships[n] !== undefined);
}

export async function loadMonitorDetail(
  ctx: RequestScope,
  record: MonitorRecord & MaybeDependent,
  groupsOfNew?: readonly CheckGroupState[],
): Promise<MonitorDetail> {
  const [view] = await loadMonitorDetails(ctx, [record], groupsOfNew);
  if (!view) throw new Error("a monitor gave no view");
  return { ...view, push: await pushAccessOf(ctx, record) };
}

/** A monitor of type agent was last checked by its agent's last call. */
function findLastCall(
  { id, agent_id, status, status_message }: ListedMonitor,
  seen: ReadonlyMap<string, number>,
): PackedResult[] {
  const seenAt = seen.get(agent_id ?? "");
  if (seenAt === undefined) return [];
  const outcome = status === "down" ? "failure" : "success";
  return [[id, seenAt, null, status_message ?? "", DEFAULT_REGION, outcome, seenAt]];
}

async function openFor(ctx: RequestScope, record: ListedMonitor): Promise<Pick<MonitorDetail, "target" | "fields">> {
  if (record.sealed === null) return { target: record.target, fields: record.options };
  const { target, fields } = await showSecrets(ctx, record);
  return { target, fields: { ...record.options, ...fields } };
}
