import { forbidden, notFound } from "../contract/errors.ts";
import { runsOnAgent } from "../contract/location.ts";
import { type AgentCommandRecord, findCommand, findDiscovery, findOwnedCommand } from "../data/agent-reports/read.ts";
import { findAgent } from "../data/agents/read.ts";
import { findStatusChannel } from "../data/chat-links/read.ts";
import type { Db } from "../data/db.ts";
import { findEscalation } from "../data/escalations/read.ts";
import { findEventRule } from "../data/event-rules/read.ts";
import { type IncidentTemplateRecord, incidentTemplates } from "../data/incident-templates/table.ts";
import { findIncident } from "../data/incidents/read.ts";
import { findInvitation } from "../data/invitations/read.ts";
import { findMaintenance } from "../data/maintenance/read.ts";
import { findMember, type NamedMember } from "../data/members/read.ts";
import { type MonitorGroupRecord, monitorGroups } from "../data/monitor-groups/table.ts";
import { listMonitorsByIds } from "../data/monitor-settings/read.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import { findEscalationPolicy, findOnCallSchedule } from "../data/on-call/read.ts";
import { findRow, listRowsByIds } from "../data/rows.ts";
import { findSlaPolicy, listMembershipsNearPolicy, type SlaPolicyRecord } from "../data/sla/read.ts";
import { findSubscriber } from "../data/subscribers/read.ts";
import { findWebhook } from "../data/webhooks/read.ts";
import { type Membership, OWNERSHIP } from "../domain/roles.ts";
import { limitMembership, reachesPage } from "../domain/token-limits.ts";
import { findMembership, findVisiblePage, once, requirePermission } from "./pages.ts";
import { requireCallingAgent, requireUser } from "./principal.ts";
import type { RequestScope } from "./scope.ts";

interface Resource<Found extends { id: string }> {
  /** Completes "… not found". */
  notFound: string;
  find(db: Db, id: string): Promise<Found | undefined>;
  /** For kinds of which one body may name many. */
  findMany?(db: Db, ids: readonly string[]): Promise<Found[]>;
  /** The caller's memberships that decide over the object; without any, the object does not exist for the caller. */
  ownedBy(ctx: RequestScope, found: NoInfer<Found>): Promise<readonly Membership[]>;
}

/** Keeps the record's type while the table is checked. */
const resource = <Found extends { id: string }>(entry: Resource<Found>) => entry;

/** Visible to the members of its page. */
async function byPage(ctx: RequestScope, { status_page_id }: { status_page_id: string }) {
  const found = await findVisiblePage(ctx, status_page_id);
  return found ? [found.membership] : [];
}

/** Visible to the members of its page; without a page, to its owner alone. */
async function byPageOrOwner(ctx: RequestScope, found: { owner_id: string; status_page_id: string | null }) {
  const membership = await findMembership(ctx, found);
  return membership ? [membership] : [];
}

/** A policy belongs to an account; members of that account's pages and of pages that use the policy see it. */
async function byPolicyUse(ctx: RequestScope, policy: SlaPolicyRecord) {
  const { user_id, token_limits } = requireUser(ctx);
  // It is on no page, although pages use it.
  if (!reachesPage(token_limits, null)) return [];
  const memberships =
    policy.owner_id === user_id ? [OWNERSHIP] : await listMembershipsNearPolicy(ctx.db, policy, user_id);
  return memberships.map((membership) => limitMembership(token_limits, membership));
}

/** Everything that belongs to a page or an account: how it is found, who may see it, and its name in a 404. */
const RESOURCES = {
  monitor: resource({
    notFound: "monitor",
    find: findMonitor,
    findMany: listMonitorsByIds,
    ownedBy: byPageOrOwner,
  }),
  group: resource<MonitorGroupRecord>({
    notFound: "group",
    find: (db, id) => findRow(db, monitorGroups, id),
    findMany: (db, ids) => listRowsByIds(db, monitorGroups, ids),
    ownedBy: byPage,
  }),
  agent: resource({ notFound: "agent", find: findAgent, ownedBy: byPageOrOwner }),
  agentCommand: resource({ notFound: "command", find: findOwnedCommand, ownedBy: byPageOrOwner }),
  discovery: resource({ notFound: "discovery", find: findDiscovery, ownedBy: byPageOrOwner }),
  webhook: resource({ notFound: "webhook", find: findWebhook, ownedBy: byPageOrOwner }),
  incident: resource({ notFound: "incident", find: findIncident, ownedBy: byPage }),
  incidentTemplate: resource<IncidentTemplateRecord>({
    notFound: "incident template",
    find: (db, id) => findRow(db, incidentTemplates, id),
    ownedBy: byPage,
  }),
  escalationPolicy: resource({ notFound: "escalation policy", find: findEscalationPolicy, ownedBy: byPage }),
  escalation: resource({ notFound: "escalation", find: findEscalation, ownedBy: byPage }),
  onCallSchedule: resource({ notFound: "on-call schedule", find: findOnCallSchedule, ownedBy: byPage }),
  eventRule: resource({ notFound: "event rule", find: findEventRule, ownedBy: byPage }),
  maintenance: resource({ notFound: "maintenance window", find: findMaintenance, ownedBy: byPage }),
  member: resource({ notFound: "member", find: findMember, ownedBy: byPage }),
  invitation: resource({ notFound: "invitation", find: findInvitation, ownedBy: byPage }),
  slaPolicy: resource({ notFound: "SLA policy", find: findSlaPolicy, ownedBy: byPolicyUse }),
  statusChannel: resource({ notFound: "status channel", find: findStatusChannel, ownedBy: byPage }),
  subscriber: resource({ notFound: "subscriber", find: findSubscriber, ownedBy: byPage }),
};
type Kind = keyof typeof RESOURCES;
type Found<K extends Kind> = NonNullable<Awaited<ReturnType<(typeof RESOURCES)[K]["find"]>>>;

interface Accessible<K extends Kind> {
  record: Found<K>;
  memberships: readonly Membership[];
}

const loadedKey = (kind: Kind, id: string) => `${kind} ${id}`;

/** Makes the next access read the object again, as it is after a write. */
export function invalidateLoaded(ctx: RequestScope, kind: Kind, id: string): void {
  ctx.loaded.delete(loadedKey(kind, id));
}

function load<K extends Kind>(ctx: RequestScope, kind: K, id: string): Promise<Accessible<K>> {
  return once(ctx, loadedKey(kind, id), async () => admit(ctx, kind, await tableOf(kind).find(ctx.db, id)));
}

async function admit<K extends Kind>(ctx: RequestScope, kind: K, record: Found<K> | undefined) {
  const memberships = record === undefined ? [] : await tableOf(kind).ownedBy(ctx, record);
  if (record === undefined || memberships.length === 0) throw notFound(RESOURCES[kind].notFound);
  return { record, memberships };
}

function tableOf<K extends Kind>(kind: K): Resource<Found<K>> {
  // TypeScript does not see that the entry of a kind finds and judges the record of the same kind.
  return RESOURCES[kind] as unknown as Resource<Found<K>>;
}

/** The object when the caller may see it; outsiders get the same 404 as for nothing. */
const visible =
  <K extends Kind>(kind: K) =>
  async (ctx: RequestScope, id: string): Promise<Found<K>> =>
    (await load(ctx, kind, id)).record;

/** The object when the caller has the endpoint's permission on it; members without it get 403. */
const permitted =
  <K extends Kind>(kind: K) =>
  async (ctx: RequestScope, id: string): Promise<Found<K>> => {
    const { record, memberships } = await load(ctx, kind, id);
    requirePermission(memberships, ctx.permission);
    return record;
  };

/** Reads many at once, so that authorising each of them costs no query of its own. */
const preload = (kind: Kind) => async (ctx: RequestScope, ids: readonly string[]) => {
  const records = (await tableOf(kind).findMany?.(ctx.db, ids)) ?? [];
  const byId = new Map(records.map((record) => [record.id, record]));
  // A refusal is thrown where the id is authorised.
  for (const id of ids) once(ctx, loadedKey(kind, id), () => admit(ctx, kind, byId.get(id))).catch(() => {});
};

export const requireVisibleMonitor = visible("monitor");
export const requireMonitor = permitted("monitor");
export const preloadMonitors = preload("monitor");
export const requireVisibleGroup = visible("group");
export const requireGroup = permitted("group");
export const preloadGroups = preload("group");
export const requireVisibleAgent = visible("agent");
export const requireAgent = permitted("agent");
/**
 * The agent when the caller may have it check what they want: to see it does not suffice, with any right of the
 * endpoint.
 */
export async function requireUsableAgent(ctx: RequestScope, id: string): Promise<Found<"agent">> {
  const { record, memberships } = await load(ctx, "agent", id);
  requirePermission(memberships, "agents.write");
  return record;
}
export const requireVisibleAgentCommand = visible("agentCommand");
export const requireVisibleDiscovery = visible("discovery");
export const requireVisibleWebhook = visible("webhook");
export const requireWebhook = permitted("webhook");
export const requireIncident = permitted("incident");
export const requireIncidentTemplate = permitted("incidentTemplate");
export const requireEscalationPolicy = permitted("escalationPolicy");
export const requireEscalation = permitted("escalation");
export const requireVisibleEscalation = visible("escalation");
export const requireOnCallSchedule = permitted("onCallSchedule");
export const requireVisibleOnCallSchedule = visible("onCallSchedule");
export const requireEventRule = permitted("eventRule");
export const requireMaintenance = permitted("maintenance");
export const requireInvitation = permitted("invitation");
export const requireSlaPolicy = permitted("slaPolicy");
export const requireStatusChannel = permitted("statusChannel");
export const requireSubscriber = permitted("subscriber");

/** Members of a page see each other; acting on another member takes the endpoint's permission. */
export async function requireMember(ctx: RequestScope, id: string): Promise<NamedMember> {
  const { record, memberships } = await load(ctx, "member", id);
  if (record.user_id !== requireUser(ctx).user_id) requirePermission(memberships, ctx.permission);
  return record;
}

/** Only its account changes a policy, because other pages may use it, too. */
export async function requireOwnSlaPolicy(ctx: RequestScope, id: string): Promise<SlaPolicyRecord> {
  const { record } = await load(ctx, "slaPolicy", id);
  if (record.owner_id !== requireUser(ctx).user_id) throw forbidden("the policy belongs to another account");
  return record;
}

/** A monitor of the calling agent; another monitor of the same account is 403. */
export function requireAssignedMonitor(ctx: RequestScope, id: string): Promise<MonitorRecord> {
  return once(ctx, `assigned monitor ${id}`, async () => {
    const { agent } = requireCallingAgent(ctx);
    const monitor = await findMonitor(ctx.db, id);
    if (monitor?.owner_id !== agent.owner_id) throw notFound("monitor");
    if (!runsOnAgent(monitor, agent.id)) throw forbidden("the monitor is not assigned to this agent");
    return monitor;
  });
}

export function requireOwnCommand(ctx: RequestScope, id: string): Promise<AgentCommandRecord> {
  return once(ctx, `command ${id}`, async () => {
    const command = await findCommand(ctx.db, requireCallingAgent(ctx).agent.id, id);
    if (!command) throw notFound("command");
    return command;
  });
}
