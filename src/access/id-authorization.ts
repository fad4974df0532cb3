import { ApiError, invalid } from "../contract/errors.ts";
import { requireManagedPage, requirePage, requireVisiblePage } from "./pages.ts";
import {
  preloadGroups,
  preloadMonitors,
  requireAgent,
  requireAssignedMonitor,
  requireEscalation,
  requireEscalationPolicy,
  requireEventRule,
  requireGroup,
  requireIncident,
  requireIncidentTemplate,
  requireInvitation,
  requireMaintenance,
  requireMember,
  requireMonitor,
  requireOnCallSchedule,
  requireOwnCommand,
  requireOwnSlaPolicy,
  requireSlaPolicy,
  requireStatusChannel,
  requireSubscriber,
  requireUsableAgent,
  requireVisibleAgent,
  requireVisibleAgentCommand,
  requireVisibleDiscovery,
  requireVisibleGroup,
  requireVisibleMonitor,
  requireWebhook,
} from "./resources.ts";
import type { RequestScope } from "./scope.ts";

/**
 * What an id in a path, query or body names. The first word is the kind of object; `:see` only requires that the caller may
 * see it, `:own` that it belongs to them, `:use` that it may check what they want, otherwise the endpoint's right is asked for; `:manage` answers 403 for what is
 * not there, too.
 */
const RESOLVERS = {
  page: requirePage,
  "page:see": requireVisiblePage,
  "page:manage": requireManagedPage,
  member: requireMember,
  invitation: requireInvitation,
  monitor: requireMonitor,
  "monitor:see": requireVisibleMonitor,
  group: requireGroup,
  "group:see": requireVisibleGroup,
  agent: requireAgent,
  "agent:see": requireVisibleAgent,
  "agent:use": requireUsableAgent,
  "monitor:assigned": requireAssignedMonitor,
  command: requireOwnCommand,
  "agent command:see": requireVisibleAgentCommand,
  "discovery:see": requireVisibleDiscovery,
  webhook: requireWebhook,
  incident: requireIncident,
  "incident template": requireIncidentTemplate,
  "escalation policy": requireEscalationPolicy,
  escalation: requireEscalation,
  "on-call schedule": requireOnCallSchedule,
  "event rule": requireEventRule,
  maintenance: requireMaintenance,
  sla_policy: requireSlaPolicy,
  "sla_policy:own": requireOwnSlaPolicy,
  "status channel": requireStatusChannel,
  subscriber: requireSubscriber,
} satisfies Record<string, (ctx: RequestScope, id: string) => Promise<unknown>>;
export type IdKind = keyof typeof RESOLVERS;

/** Kinds of which a body may name many: they are read in one query. */
const PRELOADERS: Partial<Record<IdKind, (ctx: RequestScope, ids: readonly string[]) => Promise<void>>> = {
  monitor: preloadMonitors,
  "monitor:see": preloadMonitors,
  group: preloadGroups,
  "group:see": preloadGroups,
};
/** No list of ids is longer; access is checked before the schema, which may allow fewer. */
const IDS_MAX = 1000;

/**
 * Which members of a request are ids of what. Paths are dotted; `[]` stands for every element of an array, so
 * `targets[].target_id` names one id per target.
 */
export interface IdLocations {
  params?: Readonly<Record<string, IdKind>>;
  query?: Readonly<Record<string, IdKind>>;
  body?: Readonly<Record<string, IdKind>>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ids in the path: malformed is 400, absent or foreign 404, seen but not allowed 403. */
export async function authorizeParams(
  ctx: RequestScope,
  slots: IdLocations,
  params: Record<string, string>,
): Promise<void> {
  for (const [name, kind] of Object.entries(slots.params ?? {})) {
    const id = params[name] ?? "";
    if (!UUID.test(id)) throw invalid(`${name} must be a UUID`);
    await RESOLVERS[kind](ctx, id);
  }
}

/** Ids in query and body: absent and foreign alike are 400 naming their place. Their form is the schema's business. */
export async function authorizeFields(ctx: RequestScope, slots: Readonly<Record<string, IdKind>>, source: unknown) {
  for (const [path, kind] of Object.entries(slots)) {
    const named = idsAt(source, path);
    if (named.length > IDS_MAX) throw invalid(`${path} must have at most ${IDS_MAX} items`);
    if (named.length > 1) await PRELOADERS[kind]?.(ctx, [...new Set(named.map(({ id }) => id))]);
    for (const { id, at } of named) {
      try {
        await RESOLVERS[kind](ctx, id);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        throw invalid(`${at} does not exist or is not visible to you`, [{ path: at, message: error.message }]);
      }
    }
  }
}

/** Every well-formed id at a dotted path; what is not an id is left to the schema. */
export function idsAt(source: unknown, path: string): { id: string; at: string }[] {
  let found: { value: unknown; at: string }[] = [{ value: source, at: "" }];
  for (const step of path.split(".")) {
    const name = step.replace(/\[\]$/, "");
    const members = found.map(({ value, at }) => ({
      value: memberOf(value, name),
      at: at === "" ? name : `${at}.${name}`,
    }));
    found = step.endsWith("[]") ? members.flatMap(elementsOf) : members;
  }
  return found.flatMap(({ value, at }) => listIds(value).map((id) => ({ id, at })));
}

/** A filter of a list names several, separated by commas. */
function listIds(value: unknown): string[] {
  return typeof value === "string" ? value.split(",").filter((id) => UUID.test(id)) : [];
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function elementsOf({ value, at }: { value: unknown; at: string }) {
  return Array.isArray(value) ? value.map((element: unknown, n) => ({ value: element, at: `${at}[${n}]` })) : [];
}
