import { requireUser } from "../../access/principal.ts";
import { requireGroup, requireUsableAgent } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { requireTokenFor } from "../../access/token-limits.ts";
import { AGENT_MONITORS_MAX, unknownField } from "../../contract/agent.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { type ApiError, forbidden, invalid, regionUnavailable } from "../../contract/errors.ts";
import { agentsAmong, agentsOf, asksEdge, type Location, regionsAmong, runsOnAgent } from "../../contract/location.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import { atLeastOf, type MonitorType, type Region } from "../../contract/monitor-values.ts";
import type { Plan } from "../../contract/plan.ts";
import { countAssigned, listAgentsByIds } from "../../data/agents/read.ts";
import { listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { listSecretsByName } from "../../data/secrets/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { servesPage } from "../../domain/agent-status.ts";
import { FREE_INTERVAL_DEFAULT_S } from "../../domain/free-plan.ts";
import { secretNamesIn } from "../../domain/placeholders.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { isRecord } from "../../lib/is-record.ts";
import { monitorType } from "../../probes/registry.ts";
import { readFields, stepsOf, type TypeFields } from "./fields.ts";
import { requireRoomOnFreePlan } from "./free-plan.ts";
import { decideTarget } from "./target.ts";

const INTERVAL_DEFAULT_S = 60;
const TIMEOUT_DEFAULT_S = 10;
const MUTE_MAX_DAYS = 30;
const THRESHOLDS = { failure_threshold: 3, recovery_threshold: 2 };
/** A missing heartbeat says enough by itself. */
const PUSH_THRESHOLDS = { failure_threshold: 1, recovery_threshold: 1 };

/** Around the monitor that is to be: whose plan counts, where it will stand, and what it was before. */
export interface MonitorContext {
  plan: Plan;
  owner_id: string;
  page: StatusPageRecord | null;
  /** The stored monitor; null on creation. */
  current: MonitorRecord | null;
}

export type Columns = ReturnType<typeof columnsOf>;

/** A monitor whose settings are complete and agree with each other; secrets still in clear. */
export interface Draft {
  columns: Columns & { target: string | null; is_internal: boolean };
  options: Record<string, unknown>;
  child_ids: string[];
  /** The monitors that it depends on. */
  parent_ids: string[];
  isScheduled: boolean;
  /** The secrets that its steps name. */
  secret_names: string[];
}

/** Seconds between the checks of a new monitor, for who says nothing of it. */
export function defaultInterval({ settings }: Pick<RequestScope, "settings">, plan: Plan): number {
  const byDefault = settings.PLAN === "free" ? FREE_INTERVAL_DEFAULT_S : INTERVAL_DEFAULT_S;
  return Math.max(byDefault, PLAN_LIMITS[plan].min_interval);
}

/** Turns a whole body, defaults still absent, into a monitor. Throws the first refusal, naming its field. */
export async function draftMonitor(ctx: RequestScope, input: MonitorCreate, around: MonitorContext): Promise<Draft> {
  const interval = input.interval ?? defaultInterval(ctx, around.plan);
  const fields = readFields(input.type, { ...input, interval });
  const columns = columnsOf(input, { ...around, interval, fields });
  requireTimeWithin(columns, fields);
  requireSlowerWhileDown(columns, fields);
  for (const field of ["regions", "locations"] as const) {
    if (columns[field].length > 0 && (fields.source === "push" || fields.source === "computed")) {
      throw refuse(field, `must be empty for ${input.type} monitors, which nobody checks from a ${field.slice(0, -1)}`);
    }
  }
  requireLocations(input, columns, fields);
  requireRegions(ctx, columns.regions, around.current);
  requireLocationsFor(columns);
  const mutedMax = ctx.now + MUTE_MAX_DAYS * DAY_MS;
  if ((columns.muted_until ?? 0) > mutedMax) throw refuse("muted_until", `must be at most ${MUTE_MAX_DAYS} days ahead`);
  requireAgentFor(columns, fields);
  await requireRoomOnFreePlan(ctx, { columns, fields }, around.current?.id);
  await requireAgentsOfOwner(ctx, { columns, options: fields.options }, around);
  await requireGroupOnPage(ctx, columns);
  const target = decideTarget(ctx, {
    type: columns.type,
    fields,
    target: input.target ?? null,
    isAgentsAlone: !asksEdge(columns),
  });
  const secret_names = secretNamesIn(stepsOf(fields.options));
  await requireUsableSecrets(ctx, secret_names, around);
  return {
    columns: { ...columns, ...target },
    options: fields.options,
    child_ids: await requireMembers(ctx, input, around),
    parent_ids: await requireParents(ctx, input, around),
    isScheduled: fields.source === "edge" && asksEdge(columns),
    secret_names,
  };
}

function columnsOf(input: MonitorCreate, known: MonitorContext & { interval: number; fields: TypeFields }) {
  const { interval, fields, page } = known;
  const thresholds = fields.source === "push" ? PUSH_THRESHOLDS : THRESHOLDS;
  const failure_threshold = fields.source === "push" ? null : page?.failure_threshold;
  return {
    name: input.name,
    type: input.type,
    status_page_id: page?.id ?? null,
    group_id: input.group_id ?? null,
    agent_id: takesAgent(input.type, fields) ? (input.agent_id ?? null) : null,
    interval,
    timeout_seconds: input.timeout_seconds ?? TIMEOUT_DEFAULT_S,
    failure_threshold: input.failure_threshold ?? failure_threshold ?? thresholds.failure_threshold,
    recovery_threshold: input.recovery_threshold ?? thresholds.recovery_threshold,
    retry_interval: input.retry_interval ?? null,
    latency_threshold_ms: input.latency_threshold_ms ?? null,
    ...locationsOf(input),
    region_policy: input.region_policy ?? "majority",
    confirm_outside: input.confirm_outside ?? null,
    auto_create_incident: input.auto_create_incident ?? null,
    auto_publish_incident: input.auto_publish_incident ?? null,
    incident_severity: input.incident_severity ?? "major",
    tags: [...new Set(input.tags)],
    external_key: input.external_key ?? null,
    paused: input.paused ?? false,
    muted_until: input.muted_until ?? null,
  };
}

/**
 * The edge's part of the locations, and all of them where agents are among them. A body that names no locations has its
 * regions alone.
 */
function locationsOf({ regions, locations }: MonitorCreate): { regions: Region[]; locations: Location[] } {
  if (!locations) return { regions: [...new Set(regions)], locations: [] };
  const named = [...new Set(locations)];
  return { regions: regionsAmong(named), locations: agentsAmong(named).length > 0 ? named : [] };
}

function requireLocations(input: MonitorCreate, columns: Columns, { source }: TypeFields): void {
  const { regions, locations } = columns;
  if (locations.length === 0) return;
  if (columns.agent_id !== null) throw refuse("locations", "must name no agents where agent_id names one");
  if (monitorType(input.type).follows !== undefined) {
    throw refuse("locations", `must be empty for ${input.type} monitors, which follow an agent`);
  }
  if (locations.includes(DEFAULT_REGION) && regions.length > 0) {
    throw refuse("locations", "must name regions or default, not both");
  }
  if (source === "agent" && asksEdge(columns)) {
    throw refuse("locations", `must be agents alone for ${input.type} monitors, which an agent has to run`);
  }
}

/** A check is over before the next one begins, however many requests it sends. */
function requireTimeWithin({ type, interval, timeout_seconds }: Columns, { read }: TypeFields): void {
  const secondsMax = monitorType(type).probe?.secondsMax?.(read, timeout_seconds) ?? timeout_seconds;
  if (secondsMax <= interval) return;
  if (timeout_seconds > interval) throw refuse("timeout_seconds", "must not be longer than interval");
  throw refuse("interval", `must be at least the ${secondsMax} s that the steps may take`);
}

/** Faster checks would cost what neither the plan nor a budget counted. Agents that vote begin at one time, as often as the edge. */
function requireSlowerWhileDown({ interval, locations }: Columns, { rules }: TypeFields): void {
  if (!rules || rules.interval_down === null) return;
  if (rules.interval_down < interval) throw refuse("interval_down", "must not be shorter than interval");
  if (locations.length > 0) throw refuse("interval_down", "must be empty where agents are among the locations");
}

/**
 * A secret that a monitor has not sent before is its owner's to give: a member who may change the monitor could otherwise
 * have it sent to a place of their own. What it names already may stay, even where the secret is gone.
 */
async function requireUsableSecrets(
  ctx: RequestScope,
  names: readonly string[],
  { owner_id, current }: Pick<MonitorContext, "owner_id" | "current">,
): Promise<void> {
  const isMoved = current !== null && current.owner_id !== owner_id;
  const known = current === null || isMoved ? [] : current.secret_names;
  const added = names.filter((name) => !known.includes(name));
  const [first] = added;
  if (first === undefined) return;
  if (requireUser(ctx).user_id !== owner_id) {
    throw forbidden(`steps use secret.${first}, which only the owner of the status page may add to a monitor`);
  }
  requireTokenFor(ctx.principal, "secrets.read");
  requireTokenFor(ctx.principal, "account");
  const stored = await listSecretsByName(
    ctx.db,
    added.map((name) => ({ owner_id, name })),
  );
  const missing = added.find((name) => !stored.some((secret) => secret.name === name));
  if (missing !== undefined) throw refuse("steps", `use secret.${missing}, which does not exist`);
}

/** What is pushed or follows from child monitors has nothing that an agent would check. */
function takesAgent(type: MonitorType, { source }: TypeFields): boolean {
  return source === "edge" || source === "agent" || monitorType(type).follows === "agent";
}

/** A region that the monitor has named before stays, although its checker may be gone. */
function requireRegions(ctx: RequestScope, regions: readonly Region[], current: MonitorRecord | null): void {
  const known = [...ctx.settings.REGIONS, ...(current?.regions ?? [])];
  if (regions.some((region) => !known.includes(region))) throw regionUnavailable(ctx.settings.REGIONS);
}

/** More failures than there are locations could never be found. */
function requireLocationsFor({ region_policy, regions, locations: named, agent_id }: Columns): void {
  const locations = agent_id === null ? Math.max(regions.length, named.length, 1) : 1;
  const wanted = atLeastOf(region_policy) ?? 1;
  if (wanted <= locations) return;
  const number = locations === 1 ? "only one location" : `only ${locations} locations`;
  throw refuse("region_policy", `asks for ${wanted} locations to fail, but the monitor has ${number}`);
}

function requireAgentFor(columns: Columns, { source, read }: TypeFields): void {
  const { type } = columns;
  const isAgentsAlone = !asksEdge(columns);
  const entry = monitorType(type);
  const isUnverified = isRecord(read) && read.verify_ssl === false;
  // Over HTTP the edge brings its own TLS, which can leave a certificate unverified.
  if (isUnverified && !isAgentsAlone && source === "edge" && !entry.probe?.needs.includes("http")) {
    throw refuse("verify_ssl", `can be false for ${type} monitors only with agent_id`);
  }
  const needsAgent = source === "agent" || entry.follows === "agent";
  if (needsAgent && !isAgentsAlone)
    throw refuse("agent_id", `is required for ${type} monitors, which an agent has to run`);
}

/**
 * An agent gets the secrets of its monitors, so both have one owner; the person who chooses it for a monitor needs the
 * right to use it.
 */
async function requireAgentsOfOwner(
  ctx: RequestScope,
  { columns, options }: { columns: Columns; options: Draft["options"] },
  { owner_id, current }: Pick<MonitorContext, "owner_id" | "current">,
): Promise<void> {
  const wanted = agentsOf(columns);
  if (wanted.length === 0) return;
  const path = columns.agent_id === null ? "locations" : "agent_id";
  const agents = new Map((await listAgentsByIds(ctx.db, wanted)).map((agent) => [agent.id, agent]));
  for (const id of wanted) {
    const agent = agents.get(id);
    if (agent?.owner_id !== owner_id) {
      throw refuse(path, `must name ${path === "agent_id" ? "an agent" : "agents"} of the monitor's owner`);
    }
    if (path === "locations" && !agent.is_location) throw refuse(path, `name "${agent.name}", which is no location`);
    if (!servesPage(agent, columns.status_page_id)) {
      throw refuse(
        path,
        `name${path === "agent_id" ? "s" : ""} "${agent.name}", which serves its own status page alone`,
      );
    }
    const unknown = unknownField(agent.capabilities, options);
    if (unknown !== undefined) {
      throw refuse(path, `names an agent whose program is too old for ${unknown}: update it`);
    }
    if (current && runsOnAgent(current, id)) continue;
    await requireUsableAgent(ctx, id);
    if ((await countAssigned(ctx.db, id)) < AGENT_MONITORS_MAX) continue;
    throw refuse(path, `must name an agent that runs fewer than ${AGENT_MONITORS_MAX} monitors`);
  }
}

async function requireGroupOnPage(ctx: RequestScope, { group_id, status_page_id }: Columns): Promise<void> {
  if (group_id === null) return;
  const group = await requireGroup(ctx, group_id);
  if (group.status_page_id !== status_page_id) throw refuse("group_id", "must name a group of the same status page");
}

async function requireMembers(ctx: RequestScope, input: MonitorCreate, around: MonitorContext): Promise<string[]> {
  const ids = [...new Set(input.child_ids)];
  if (monitorType(input.type).follows !== "members") {
    if (ids.length > 0) throw refuse("child_ids", "is for composite monitors only");
    return [];
  }
  if (around.current?.parent_monitor_id) throw refuse("type", "must not be composite for a member of a composite");
  const members = new Map((await listMonitorsByIds(ctx.db, ids)).map((monitor) => [monitor.id, monitor]));
  for (const [n, id] of ids.entries()) {
    const problem = memberProblem(members.get(id), around);
    if (problem) throw refuse(`child_ids[${n}]`, problem);
  }
  return ids;
}

/** Whether they lead back to the monitor itself is for the batch to say. */
async function requireParents(ctx: RequestScope, input: MonitorCreate, around: MonitorContext): Promise<string[]> {
  const ids = [...new Set(input.depends_on)];
  const parents = new Map((await listMonitorsByIds(ctx.db, ids)).map((monitor) => [monitor.id, monitor]));
  for (const [n, id] of ids.entries()) {
    const path = `depends_on[${n}]`;
    if (id === around.current?.id) throw refuse(path, "must not be the monitor itself");
    if (parents.get(id)?.owner_id !== around.owner_id) throw refuse(path, "must be a monitor of the same owner");
  }
  return ids;
}

function memberProblem(member: MonitorRecord | undefined, { current, page, owner_id }: MonitorContext): string | null {
  if (!member || member.owner_id !== owner_id || member.status_page_id !== (page?.id ?? null)) {
    return "must belong to the same status page";
  }
  if (member.id === current?.id || monitorType(member.type).follows === "members") return "must not be a composite";
  const parent = member.parent_monitor_id;
  return parent !== null && parent !== current?.id ? "is a member of another composite" : null;
}

function refuse(path: string, problem: string): ApiError {
  return invalid(`${path} ${problem}`, [{ path, message: problem }]);
}
