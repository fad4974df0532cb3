import type { AuditSubject } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { requireSecretsRead, sealSecrets, unsealSecrets } from "../../access/monitor-secrets.ts";
import { getOwner } from "../../access/owners.ts";
import { findVisiblePage, requirePage } from "../../access/pages.ts";
import { requireMonitor, requireUsableAgent } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid, raced } from "../../contract/errors.ts";
import { agentLocation, agentsAmong, agentsOf, type Location } from "../../contract/location.ts";
import type { MonitorCreate, MonitorSecrets, MonitorUpdate } from "../../contract/monitor.ts";
import { awaitResult } from "../../data/agent-results/write.ts";
import type { Statement } from "../../data/db.ts";
import { listParents } from "../../data/dependencies/read.ts";
import { setDependencies } from "../../data/dependencies/write.ts";
import { touchEscalationsOfMonitor } from "../../data/escalations/write.ts";
import { noteMetricRules } from "../../data/event-rules/write.ts";
import { setLocations } from "../../data/locations/write.ts";
import { leavePage } from "../../data/monitor-migration/leave-page.ts";
import { isChanged, listChildren } from "../../data/monitor-settings/read.ts";
import { setChildren, updateMonitor } from "../../data/monitor-settings/write.ts";
import { findMonitor, type MonitorRecord } from "../../data/monitors/read.ts";
import { insertFormerValue } from "../../data/sla/write.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { staleAfterMs } from "../../domain/check-schedule.ts";
import { maskSteps, restoreBody, restoreHeaders, restoreSteps, restoreTarget } from "../../domain/secret-masks.ts";
import { monitorType } from "../../probes/registry.ts";
import { checkSoon, refreshAgents, syncMonitorObject, syncParentComposite } from "./after-commit.ts";
import { CONFLICTS, circleGuard, locationsGuard, textOf } from "./create.ts";
import { stepsOf } from "./fields.ts";
import { updatePlacement } from "./placement.ts";
import { type Draft, draftMonitor } from "./validate.ts";
import { loadMonitorDetail, type MonitorDetail, visibleParents } from "./view.ts";

export async function changeMonitor(ctx: RequestScope, monitorId: string, body: MonitorUpdate): Promise<MonitorDetail> {
  const plan = await planChange(ctx, await requireMonitor(ctx, monitorId), body);
  const { current, changed } = plan;
  await commit(ctx, plan.statements, {
    audit: plan.audit,
    guards: [
      { name: "stale", when: isChanged(current), error: RACED },
      ...locationsGuard(changed),
      ...circleGuard([plan.dependencies]),
    ],
    conflicts: CONFLICTS,
  });
  const fresh = (await syncMonitorObject(ctx, changed)) ?? (await findMonitor(ctx.db, current.id)) ?? changed;
  if (changed.parent_monitor_id !== current.parent_monitor_id) await syncParentComposite(ctx, current);
  if (isCheckDue(current, fresh)) await checkSoon(ctx, fresh);
  refreshAgents(ctx, [current, fresh]);
  return loadMonitorDetail(ctx, fresh);
}

export const RACED = raced("the monitor was changed by another request, reload it and try again");

export interface PlannedChange {
  current: MonitorRecord;
  changed: MonitorRecord;
  statements: Statement[];
  /** What it depends on after the change. */
  dependencies: { id: string; parent_ids: readonly string[] };
  audit: AuditSubject;
}

/** Decides a change of a monitor that the caller may change, and says what would carry it out. */
export async function planChange(
  ctx: RequestScope,
  current: MonitorRecord,
  body: MonitorUpdate,
): Promise<PlannedChange> {
  return planStatements(ctx, current, await draftChange(ctx, current, body));
}

/** The monitor as it would be after the change. */
export async function draftChange(ctx: RequestScope, current: MonitorRecord, body: MonitorUpdate): Promise<Draft> {
  const diverted = findDiversion(current, body) ?? ((await changesSteps(ctx, current, body)) ? "steps" : undefined);
  if (diverted !== undefined) await requireSecretsRead(ctx, current, `a change of ${diverted}`);
  // Those that stay are made to check something else; those that come are examined as such.
  if (isRedirected(current, body)) for (const id of staying(current, body)) await requireUsableAgent(ctx, id);
  const input = await mergeInput(ctx, current, body);
  const page = await pageOf(ctx, current, input);
  const owner = await getOwner(ctx, current.owner_id);
  return draftMonitor(ctx, input, { plan: owner.plan, owner_id: owner.user_id, page, current });
}

function staying(current: MonitorRecord, { agent_id, locations }: MonitorUpdate): string[] {
  const named = locations === undefined ? current.locations : (locations ?? []);
  return agent_id === null ? agentsAmong(named) : agentsOf({ ...current, locations: named });
}

/** The whole body as it would be after the change: what the request names, else what is stored. */
async function mergeInput(ctx: RequestScope, current: MonitorRecord, body: MonitorUpdate): Promise<MonitorCreate> {
  const stored = await unsealSecrets(ctx.settings, current);
  const members = hasMembers(current) ? await listChildren(ctx.db, [current.id]) : [];
  const isMoved = body.status_page_id !== undefined && body.status_page_id !== current.status_page_id;
  const given = Object.entries({ ...(isMoved ? { group_id: null } : {}), ...body });
  const merged = {
    ...asInput(current, stored),
    child_ids: members.map(({ id }) => id),
    depends_on: await mergeParents(ctx, current, body),
    ...Object.fromEntries(given.filter(([name, value]) => value !== undefined && name !== "depends_on")),
    locations: mergeLocations(current, body),
  };
  return restoreSecrets(stored, merged);
}

/** Those that the caller may not see stay: a client that sends back a whole answer does not name them. */
async function mergeParents(
  ctx: RequestScope,
  current: MonitorRecord,
  { depends_on }: MonitorUpdate,
): Promise<string[]> {
  const parents = await listParents(ctx.db, [current.id]);
  if (depends_on === undefined) return parents.map(({ parent }) => parent.id);
  const visible = await visibleParents(ctx, parents);
  const hidden = parents.filter((each) => !visible.includes(each)).map(({ parent }) => parent.id);
  return [...hidden, ...(depends_on ?? [])];
}

/**
 * A body that names the regions alone changes the edge's part and leaves the agents; so does one that brings the locations
 * as they are, as a client does that sends back a whole answer.
 */
function mergeLocations(current: MonitorRecord, { regions, locations }: MonitorUpdate): Location[] | undefined {
  const stored = current.locations.length > 0 ? current.locations : current.regions;
  const isGiven = locations !== undefined && JSON.stringify(locations) !== JSON.stringify(stored);
  if (isGiven) return locations ?? [];
  if (current.locations.length === 0) return undefined;
  if (regions === undefined) return current.locations;
  return [...(regions ?? []), ...agentsAmong(current.locations).map(agentLocation)];
}

/** A stored monitor as the body that would make it. */
export function asInput(current: MonitorRecord, stored: MonitorSecrets): MonitorCreate {
  const input: object = {
    ...current,
    ...current.options,
    ...stored,
    target: stored.target ?? current.target,
    locations: current.locations.length > 0 ? current.locations : undefined,
  };
  // Columns and options have the names and types of the body's members; they passed its schema when they were stored.
  return input as MonitorCreate;
}

/** The first member of a change that decides where, how or for whom the monitor sends its secrets. */
function findDiversion(current: MonitorRecord, body: MonitorUpdate): string | undefined {
  const { target, type, agent_id, status_page_id, regions } = current;
  const locations = current.locations.length > 0 ? current.locations : regions;
  const { verify_ssl, tls_mode, allow_clear_password } = current.options;
  const before = {
    target,
    type,
    agent_id,
    status_page_id,
    regions,
    locations,
    verify_ssl,
    tls_mode,
    allow_clear_password,
  };
  const defaults: Record<string, boolean> = { verify_ssl: true, allow_clear_password: false };
  const normal = (name: string, value: unknown) => {
    if (name === "regions" || name === "locations")
      return JSON.stringify([...new Set(Array.isArray(value) ? value : [])].sort());
    return value ?? defaults[name] ?? null;
  };
  return Object.entries(before)
    .map(([name, value]) => ({ name, value, given: body[name] }))
    .find(({ name, value, given }) => given !== undefined && normal(name, given) !== normal(name, value))?.name;
}

/** Whether a change brings other steps than those that are stored, as they are or masked. */
async function changesSteps(ctx: RequestScope, current: MonitorRecord, body: MonitorUpdate): Promise<boolean> {
  if (body.steps === undefined) return false;
  const { steps: stored = [] } = await unsealSecrets(ctx.settings, current);
  const given = JSON.stringify(stepsOf(body));
  return given !== JSON.stringify(stored) && given !== JSON.stringify(maskSteps(stored));
}

/** Whether a change decides what the monitor's agent sends, and where: its target, its type or a setting of its type. */
function isRedirected(current: MonitorRecord, body: MonitorUpdate): boolean {
  const settings: Record<string, unknown> = current.options;
  const columns: Record<string, unknown> = { ...current };
  return Object.entries(body).some(([name, given]) => {
    if (given === undefined || name === "child_ids" || name === "depends_on") return false;
    if (name === "target" || name === "type") return given !== columns[name];
    return !Object.hasOwn(columns, name) && JSON.stringify(given) !== JSON.stringify(settings[name] ?? null);
  });
}

function restoreSecrets(stored: MonitorSecrets, input: MonitorCreate): MonitorCreate {
  const target = restoreTarget(input.target ?? "", stored.target);
  if (!target.ok) throw invalid(`target ${target.reason}`);
  const headers = restoreHeaders(textOf(input.http_headers), stored.http_headers);
  if (!headers.ok) throw invalid(`http_headers ${headers.reason}`);
  const body = restoreBody(textOf(input.http_body), stored.http_body);
  if (!body.ok) throw invalid(`http_body ${body.reason}`);
  const steps = restoreSteps(stepsOf(input), stored.steps);
  if (!steps.ok) throw invalid(`steps${steps.reason}`);
  return {
    ...input,
    ...(input.steps === undefined ? {} : { steps: steps.value }),
    target: target.value || null,
    http_headers: headers.value || null,
    http_body: body.value || null,
  };
}

async function pageOf(ctx: RequestScope, current: MonitorRecord, { status_page_id }: MonitorCreate) {
  if (!status_page_id) return null;
  if (status_page_id !== current.status_page_id) return requirePage(ctx, status_page_id);
  return (await findVisiblePage(ctx, status_page_id))?.page ?? null;
}

async function planStatements(
  ctx: RequestScope,
  current: MonitorRecord,
  { columns, options, child_ids, parent_ids, isScheduled, secret_names }: Draft,
): Promise<PlannedChange> {
  const before = (await listParents(ctx.db, [current.id])).map(({ parent }) => parent.id);
  const place = updatePlacement(ctx, current, { ...columns, isScheduled });
  const isMoved = columns.status_page_id !== current.status_page_id;
  const change = {
    ...columns,
    secret_names,
    ...(await sealSecrets(ctx.settings, { id: current.id, target: columns.target, options }, current)),
    ...(isRetargeted(current, columns)
      ? { certificate_expires_at: null, domain_expires_at: null, expiry_notice_at: null }
      : {}),
    parent_monitor_id: isMoved ? null : current.parent_monitor_id,
    page_since: isMoved ? ctx.now : current.page_since,
    ...place.columns,
    config_version: current.config_version + 1,
    updated_at: ctx.now,
  } satisfies Partial<MonitorRecord>;
  const pages = new Set([current.status_page_id, change.status_page_id].filter((id) => id !== null));
  const statements = [
    ...(isMoved
      ? leavePage(ctx.db, { monitor_ids: [current.id], to_page_id: change.status_page_id, now: ctx.now })
      : []),
    ...keepFormerName(ctx, current, change),
    updateMonitor(ctx.db, current.id, change),
    ...place.after,
    ...setLocations(ctx.db, current.id, { before: current.locations, after: change.locations }),
    ...expectResult(ctx, { ...current, ...change }, current),
    ...(hasMembers(current) || child_ids.length > 0 ? setChildren(ctx.db, current.id, child_ids, ctx.now) : []),
    ...setDependencies(ctx.db, current, { before, after: parent_ids }),
    // What the mute withheld from people on call is due at once.
    ...(endsMute(current, columns) ? [touchEscalationsOfMonitor(ctx.db, current.id, ctx.now)] : []),
    ...(isMoved ? [noteMetricRules(ctx.db, [current.id])] : []),
    ...[...pages].map((pageId) => bumpPageVersion(ctx.db, pageId, ctx.now)),
  ];
  const isSame = before.length === parent_ids.length && before.every((id) => parent_ids.includes(id));
  const names = [...changedNames(current, change), ...(isSame ? [] : ["depends_on"])];
  const audit = monitorAudit({ ...current, ...change }, "changed", { changed: names });
  const dependencies = { id: current.id, parent_ids: isSame ? [] : parent_ids };
  return { current, changed: { ...current, ...change }, statements, dependencies, audit };
}

/** Reports of periods that are over name it as it was called then. */
function keepFormerName(ctx: RequestScope, current: MonitorRecord, change: { name: string }): Statement[] {
  const { id: monitor_id, name: value, status_page_id } = current;
  if (status_page_id === null || change.name === value) return [];
  return [insertFormerValue(ctx.db, { status_page_id, kind: "name", monitor_id, value, now: ctx.now })];
}

/** An agent that takes a monitor over, or is to check it more often, has the time of a result for its first one. */
function expectResult(
  ctx: RequestScope,
  { id, agent_id, interval }: MonitorRecord,
  before: MonitorRecord,
): Statement[] {
  if (agent_id === null || (agent_id === before.agent_id && interval === before.interval)) return [];
  const valid_until = ctx.now + staleAfterMs(interval);
  return [awaitResult(ctx.db, { monitor_id: id, agent_id, valid_until })];
}

function hasMembers({ type }: MonitorRecord): boolean {
  return monitorType(type).follows === "members";
}

/** Names only: values may be secret. */
function changedNames(current: MonitorRecord, change: Partial<MonitorRecord>): string[] {
  const unspoken = ["config_version", "updated_at", "shard_id", "check_group_id"];
  return Object.entries(change)
    .filter(([name]) => !unspoken.includes(name))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name as keyof MonitorRecord]))
    .map(([name]) => (name === "sealed" ? "secrets" : name));
}

function endsMute(before: MonitorRecord, after: Pick<MonitorRecord, "muted_until">): boolean {
  return (before.muted_until ?? 0) > (after.muted_until ?? 0);
}

function isRetargeted(before: MonitorRecord, after: Pick<MonitorRecord, "type" | "target">): boolean {
  return before.type !== after.type || before.target !== after.target;
}

export function isCheckDue(before: MonitorRecord, after: MonitorRecord): boolean {
  return (
    (before.paused && !after.paused) ||
    before.check_group_id !== after.check_group_id ||
    before.sealed !== after.sealed ||
    isRetargeted(before, after)
  );
}
