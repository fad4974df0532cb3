import { commit } from "../../access/commit.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import {
  maskTarget,
  maySeeSecrets,
  restoreHeaders,
  restoreTarget,
  sealSecrets,
  unsealSecrets,
} from "../../access/monitor-secrets.ts";
import { getOwner } from "../../access/owners.ts";
import { findVisiblePage, requirePage } from "../../access/pages.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid, raced } from "../../contract/errors.ts";
import type { MonitorCreate, MonitorSecrets, MonitorUpdate } from "../../contract/monitor.ts";
import { isChanged, listChildren } from "../../data/monitor-settings/read.ts";
import { setChildren, updateMonitor } from "../../data/monitor-settings/write.ts";
import { findMonitor, type MonitorRecord } from "../../data/monitors/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { monitorType } from "../../probes/registry.ts";
import { checkSoon, syncMonitorObject, syncParentComposite } from "./after-commit.ts";
import { CONFLICTS, textOf } from "./create.ts";
import { updatePlacement } from "./placement.ts";
import { type Draft, draftMonitor } from "./validate.ts";
import { loadMonitorDetail, type MonitorDetail } from "./view.ts";

export async function changeMonitor(ctx: RequestScope, monitorId: string, body: MonitorUpdate): Promise<MonitorDetail> {
  const current = await requireMonitor(ctx, monitorId);
  const input = await mergeInput(ctx, current, body);
  const page = await pageOf(ctx, current, input);
  const owner = await getOwner(ctx, current.owner_id);
  const draft = await draftMonitor(ctx, input, { plan: owner.plan, owner_id: owner.user_id, page, current });
  const changed = await commitChange(ctx, current, draft);
  const fresh = (await syncMonitorObject(ctx, changed)) ?? (await findMonitor(ctx.db, current.id)) ?? changed;
  if (changed.parent_monitor_id !== current.parent_monitor_id) await syncParentComposite(ctx, current);
  if (isCheckDue(current, fresh)) await checkSoon(ctx, fresh);
  return loadMonitorDetail(ctx, fresh);
}

/** The whole body as it would be after the change: what the request names, else what is stored. */
async function mergeInput(ctx: RequestScope, current: MonitorRecord, body: MonitorUpdate): Promise<MonitorCreate> {
  const stored = await unsealSecrets(ctx.settings, current);
  const isComposite = monitorType(current.type).follows === "members";
  const members = isComposite ? await listChildren(ctx.db, [current.id]) : [];
  const isMoved = body.status_page_id !== undefined && body.status_page_id !== current.status_page_id;
  const given = Object.entries({ ...(isMoved ? { group_id: null } : {}), ...body });
  const merged = {
    ...asInput(current, stored),
    child_ids: members.map(({ id }) => id),
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  };
  return restoreSecrets(ctx, { current, stored }, merged);
}

/** A stored monitor as the body that would make it. */
function asInput(current: MonitorRecord, stored: MonitorSecrets): MonitorCreate {
  const input: object = { ...current, ...current.options, ...stored, target: stored.target ?? current.target };
  // Columns and options have the names and types of the body's members; they passed its schema when they were stored.
  return input as MonitorCreate;
}

interface Before {
  current: MonitorRecord;
  stored: MonitorSecrets;
}

async function restoreSecrets(
  ctx: RequestScope,
  { current, stored }: Before,
  input: MonitorCreate,
): Promise<MonitorCreate> {
  const given = { target: input.target ?? "", headers: textOf(input.http_headers) };
  const target = restoreTarget(given.target, stored.target);
  if (!target.ok) throw invalid(`target ${target.reason}`);
  const headers = restoreHeaders(given.headers, stored.http_headers);
  if (!headers.ok) throw invalid(`http_headers ${headers.reason}`);
  const areKept = headers.value !== given.headers || headers.value === stored.http_headers;
  // Else whoever may change a monitor, but not read its secrets, could have them sent to an address of their own.
  if (areKept && maskTarget(target.value) !== current.target && !(await maySeeSecrets(ctx, current))) {
    throw invalid("http_headers must be given anew when target changes");
  }
  return { ...input, target: target.value || null, http_headers: headers.value || null };
}

async function pageOf(ctx: RequestScope, current: MonitorRecord, { status_page_id }: MonitorCreate) {
  if (!status_page_id) return null;
  if (status_page_id !== current.status_page_id) return requirePage(ctx, status_page_id);
  return (await findVisiblePage(ctx, status_page_id))?.page ?? null;
}

async function commitChange(
  ctx: RequestScope,
  current: MonitorRecord,
  { columns, options, child_ids, isScheduled }: Draft,
): Promise<MonitorRecord> {
  const place = updatePlacement(ctx, current, { ...columns, isScheduled });
  const isMoved = columns.status_page_id !== current.status_page_id;
  const change = {
    ...columns,
    ...(await sealSecrets(ctx.settings, { id: current.id, target: columns.target, options }, current)),
    ...(isRetargeted(current, columns) ? { certificate_expires_at: null, domain_expires_at: null } : {}),
    parent_monitor_id: isMoved ? null : current.parent_monitor_id,
    shard_id: place.shard_id,
    check_group_id: place.check_group_id,
    config_version: current.config_version + 1,
    updated_at: ctx.now,
  } satisfies Partial<MonitorRecord>;
  const pages = new Set([current.status_page_id, change.status_page_id].filter((id) => id !== null));
  const statements = [
    ...place.before,
    updateMonitor(ctx.db, current.id, change),
    ...place.after,
    ...setChildren(ctx.db, current.id, child_ids, ctx.now),
    ...[...pages].map((pageId) => bumpPageVersion(ctx.db, pageId, ctx.now)),
  ];
  await commit(ctx, statements, {
    audit: monitorAudit({ ...current, ...change }, "changed", { changed: changedNames(current, change) }),
    guards: [
      {
        name: "stale",
        when: isChanged(current),
        error: raced("the monitor was changed by another request, reload it and try again"),
      },
    ],
    conflicts: CONFLICTS,
  });
  return { ...current, ...change };
}

/** Names only: values may be secret. */
function changedNames(current: MonitorRecord, change: Partial<MonitorRecord>): string[] {
  const unspoken = ["config_version", "updated_at", "shard_id", "check_group_id"];
  return Object.entries(change)
    .filter(([name]) => !unspoken.includes(name))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name as keyof MonitorRecord]))
    .map(([name]) => (name === "sealed" ? "secrets" : name));
}

function isRetargeted(before: MonitorRecord, after: Pick<MonitorRecord, "type" | "target">): boolean {
  return before.type !== after.type || before.target !== after.target;
}

function isCheckDue(before: MonitorRecord, after: MonitorRecord): boolean {
  return (
    (before.paused && !after.paused) || before.check_group_id !== after.check_group_id || isRetargeted(before, after)
  );
}
