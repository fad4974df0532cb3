import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { sealSecrets } from "../../access/monitor-secrets.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, raced } from "../../contract/errors.ts";
import { agentsAmong } from "../../contract/location.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import { monitorOf, readMonitor } from "../../data/check-groups/write.ts";
import { leadsBack } from "../../data/dependencies/read.ts";
import { setDependencies } from "../../data/dependencies/write.ts";
import { noteMetricRules } from "../../data/event-rules/write.ts";
import { areLocationsGone } from "../../data/locations/read.ts";
import { setLocations } from "../../data/locations/write.ts";
import { hasMonitors } from "../../data/monitor-settings/read.ts";
import { insertMonitor, setChildren } from "../../data/monitor-settings/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { restoreBody, restoreHeaders, restoreSteps, restoreTarget } from "../../domain/secret-masks.ts";
import { newId } from "../../platform/ids.ts";
import { rootKeysOf } from "../../platform/root-keys.ts";
import { actsByItself, checkSoon, refreshAgents, syncNewMonitor } from "./after-commit.ts";
import { stepsOf } from "./fields.ts";
import { placeMonitor } from "./placement.ts";
import { monitorLimitError } from "./plan-gate.ts";
import { type Draft, draftMonitor } from "./validate.ts";
import { loadMonitorDetail, type MonitorDetail } from "./view.ts";

export const CONFLICTS = { "monitors.external_key": conflict("external_key is taken by another monitor") };

export async function createMonitor(ctx: RequestScope, input: MonitorCreate): Promise<MonitorDetail> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return loadMonitorDetail(ctx, await requireVisibleMonitor(ctx, earlier));
  const caller = requireUser(ctx);
  const page = input.status_page_id ? await requirePage(ctx, input.status_page_id) : null;
  const owner = await getOwner(ctx, page?.owner_id ?? caller.user_id);
  rejectSecretPlaceholders(input);
  const around = { plan: owner.plan, owner_id: owner.user_id, page, current: null };
  const draft = await draftMonitor(ctx, input, around);
  const { record, statements, dependencies } = await build(ctx, draft, {
    owner_id: owner.user_id,
    created_by: caller.user_id,
  });
  const reads = actsByItself(record) ? [] : readMonitor(ctx.db, record.id);
  const found = await commit(ctx, statements, {
    audit: monitorAudit(record, "created", { type: record.type, interval: record.interval }),
    guards: [...countGuard(owner), ...locationsGuard(record), ...circleGuard([dependencies])],
    conflicts: CONFLICTS,
    reads,
  });
  const { record: fresh = record, groups } = reads.length > 0 ? monitorOf(found) : await syncNewMonitor(ctx, record);
  await checkSoon(ctx, fresh);
  refreshAgents(ctx, [fresh]);
  return loadMonitorDetail(ctx, { ...fresh, is_dependent: dependencies.parent_ids.length }, groups);
}

/** Nothing is stored yet that `***` could stand for. */
export function rejectSecretPlaceholders(input: MonitorCreate): void {
  const target = restoreTarget(input.target ?? "", undefined);
  if (!target.ok) throw invalid("target must contain its password and the values of its query");
  const headers = restoreHeaders(textOf(input.http_headers), undefined);
  if (!headers.ok) throw invalid(`http_headers ${headers.reason}`);
  const body = restoreBody(textOf(input.http_body), undefined);
  if (!body.ok) throw invalid(`http_body ${body.reason}`);
  const steps = restoreSteps(stepsOf(input));
  if (!steps.ok) throw invalid(`steps${steps.reason}`);
}

/** The body's schema made text of the fields that may hold secrets. */
export function textOf(field: unknown): string {
  return typeof field === "string" ? field : "";
}

/** An agent may be deleted or lose its mark while a monitor is given to it. */
export function locationsGuard({ owner_id, locations }: Pick<MonitorRecord, "owner_id" | "locations">): Guard[] {
  const agents = agentsAmong(locations);
  if (agents.length === 0) return [];
  const error = raced("an agent among the locations was changed by another request, try again");
  return [{ name: "locations", when: areLocationsGone(owner_id, agents), error }];
}

/** Decided by the batch, since another request may make the other half of a circle at the same time. */
export function circleGuard(changes: readonly { id: string; parent_ids: readonly string[] }[]): Guard[] {
  const message = "must not lead back to the monitor itself, over any number of others";
  const error = invalid(`depends_on ${message}`, [{ path: "depends_on", message }]);
  return changes.flatMap(({ id, parent_ids }) =>
    parent_ids.length === 0 ? [] : [{ name: "depends_on" as const, when: leadsBack(id, parent_ids), error }],
  );
}

/** Holds the plan's number of monitors when several requests create at once. */
function countGuard(owner: UserPrincipal): Guard[] {
  const { monitors } = PLAN_LIMITS[owner.plan];
  if (monitors === null) return [];
  return [{ name: "monitors", when: hasMonitors(owner.user_id, monitors), error: monitorLimitError(owner) }];
}

async function build(ctx: RequestScope, draft: Draft, by: { owner_id: string; created_by: string }) {
  const { columns, options, child_ids, parent_ids } = draft;
  const id = newId(ctx.now);
  const place = placeMonitor(ctx, id, { ...columns, isScheduled: draft.isScheduled });
  const record: MonitorRecord = {
    ...columns,
    ...(await sealSecrets(ctx.settings, { id, target: columns.target, options }, null)),
    ...by,
    id,
    secret_names: draft.secret_names,
    page_since: null,
    shard_id: "",
    other_shards: {},
    check_group_id: "",
    parent_monitor_id: null,
    measured_by: [],
    // Decided by the statement that inserts it.
    position: 0,
    config_version: 1,
    credential_version: 1,
    credential_key: rootKeysOf(ctx.settings.ROOT_SECRET).current.id,
    synced_version: actsByItself({ ...columns, options }) ? 0 : 1,
    synced_epoch: "",
    state_revision: 0,
    state_seq: 0,
    status: columns.paused ? "paused" : "pending",
    status_since: ctx.now,
    status_message: columns.paused ? "paused" : null,
    settled: false,
    locations_down: [],
    flapping: false,
    retry_at: null,
    last_result: null,
    certificate_expires_at: null,
    domain_expires_at: null,
    expiry_notice_at: null,
    history_version: 0,
    has_metric_rules: false,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const statements = [
    ...insertMonitor(ctx.db, record),
    ...place.after,
    ...setLocations(ctx.db, id, { before: [], after: record.locations }),
    ...(child_ids.length > 0 ? setChildren(ctx.db, id, child_ids, ctx.now) : []),
    ...setDependencies(ctx.db, record, { before: [], after: parent_ids }),
    ...(record.status_page_id === null
      ? []
      : [noteMetricRules(ctx.db, [id]), bumpPageVersion(ctx.db, record.status_page_id, ctx.now)]),
  ];
  return { record, statements, dependencies: { id, parent_ids } };
}
