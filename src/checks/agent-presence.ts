import { requireCallingAgent } from "../access/principal.ts";
import type { RequestScope, Scope } from "../access/scope.ts";
import type { AgentStatus } from "../contract/agent.ts";
import { EVENTS } from "../contract/events.ts";
import { type AgentRecord, switchAgents, touchAgent } from "../data/agents/read.ts";
import type { StoredEvent } from "../data/events/read.ts";
import { listFollowersOfAgents } from "../data/monitors/read.ts";
import { wakeEvents } from "../events/emit.ts";
import { durationInWords, secondsBetween } from "../lib/duration-format.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { forEachMonitor } from "./isolated.ts";
import { syncMonitor } from "./projection.ts";

/** `last_seen_at` may lag by this much, so that a busy agent costs three rows written a minute. */
const SEEN_LAG_MS = 20_000;

/** Every authenticated call of an agent updates `last_seen_at`; the first one after a silence marks it online. */
export async function recordAgentCall(ctx: RequestScope): Promise<void> {
  const { agent } = requireCallingAgent(ctx);
  if (agent.status === "offline") await setAgentPresence(ctx, [agent], { to: "online" });
  else if (ctx.now - (agent.last_seen_at ?? 0) >= SEEN_LAG_MS) ctx.defer(touchAgent(ctx.db, agent.id, ctx.now));
}

/** Marks agents online or offline. Of several concurrent calls one stores and sends the event of an agent. */
export async function setAgentPresence(
  scope: Scope,
  agents: readonly AgentRecord[],
  change: { to: AgentStatus; silent_since?: number },
): Promise<void> {
  const { env, db, log, now } = scope;
  const switched = agents.map((agent) => agentEvent(agent, change.to, now));
  const ids = await switchAgents(db, { ...change, now, switched });
  await wakeEvents(
    { env, log },
    ids.map((id) => ({ id })),
  );
  await syncFollowers(
    scope,
    agents.map(({ id }) => id),
  );
}

/** Monitors of type agent have the status of their agent. */
export async function syncFollowers(scope: Scope, agentIds: readonly string[]): Promise<void> {
  const monitors = await listFollowersOfAgents(scope.db, agentIds);
  await forEachMonitor(scope, { step: "monitor object sync failed", monitors }, ({ id }) => syncMonitor(scope, id, 0));
}

/** How long the silence has lasted, because it is noticed with a minute's sweep, or much later after a pause of the service. */
function describePresence({ name, last_seen_at }: AgentRecord, to: AgentStatus, now: number): string {
  const silence = last_seen_at === null ? null : durationInWords(secondsBetween(last_seen_at, now));
  if (to === "offline") return silence === null ? `${name} does not report` : `${name} has not reported for ${silence}`;
  return silence === null ? `${name} is online` : `${name} is online again after ${silence}`;
}

function agentEvent(agent: AgentRecord, to: AgentStatus, now: number): StoredEvent {
  const name = to === "online" ? "agent.online" : "agent.offline";
  return {
    id: newId(now),
    owner_id: agent.owner_id,
    status_page_id: agent.status_page_id,
    monitor_id: null,
    name,
    classification: EVENTS[name].classification,
    data: {
      agent_id: agent.id,
      agent_name: agent.name,
      hostname: agent.hostname,
      status: to,
      previous_status: agent.status,
      message: describePresence(agent, to, now),
      last_seen_at: toIsoOrNull(agent.last_seen_at),
      since: toIso(now),
    },
    created_at: now,
    processed_at: null,
  };
}
