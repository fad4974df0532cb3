import type { AuditSubject } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { loadNamedSecrets, openSecrets } from "../../access/monitor-secrets.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireCallingAgent, requireInstallToken } from "../../access/principal.ts";
import { requireAssignedMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncFollowers } from "../../checks/agent-presence.ts";
import { type AgentResult, acceptAgentResults } from "../../checks/agent-results.ts";
import {
  type AgentAssignment,
  type AgentBulkResults,
  type AgentEnroll,
  type AgentHandshake,
  type AgentResults,
  unknownField,
} from "../../contract/agent.ts";
import type { Evidence, StoredEvidence } from "../../contract/check.ts";
import { forbidden, invalid, notFound, unauthenticated, unavailable } from "../../contract/errors.ts";
import {
  type AgentRecord,
  findAgent,
  findUnenrolledAgent,
  isInstallTokenConsumed,
  listAssigned,
  listAssignedAmong,
} from "../../data/agents/read.ts";
import { type AgentChanges, consumeInstallToken, insertAgent, updateAgent } from "../../data/agents/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { hasAgents } from "../../data/plan-caps/read.ts";
import { describeAssignment } from "../../domain/assignment.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/durations.ts";
import { maskTokens } from "../../lib/mask-tokens.ts";
import { changedMembers } from "../../lib/merge-field.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { newMachineToken, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { monitorType } from "../../probes/registry.ts";
import { mayEnrolAgent } from "../agents/enrolment-rights.ts";
import { enrolmentForbidden } from "../agents/service.ts";

const AHEAD_MAX_MS = 5 * MINUTE_MS;

/** Trades an install token for an agent and its credential; of two that present the same token one is refused. */
export async function enrollAgent(
  ctx: RequestScope,
  input: AgentEnroll,
): Promise<{ agent: AgentRecord; token: string }> {
  const grant = requireInstallToken(ctx);
  const token = newMachineToken("agent");
  const awaited = await findAwaited(ctx, input);
  // The creator's permissions may have changed since the token was created, and so may the agent's monitors.
  if (awaited && !(await mayEnrolAgent(ctx.db, awaited, grant.created_by))) throw enrolmentForbidden();
  const enrolled = {
    token_hash: sha256Hex(token),
    next_token_hash: null,
    enrolled_at: ctx.now,
    enrolled_by: grant.created_by,
    updated_at: ctx.now,
  };
  const seen = { status: "online", last_seen_at: ctx.now } as const;
  const changes: AgentChanges = {
    ...factsOf(ctx, awaited, input),
    ...enrolled,
    // One that was there before comes online with its first call, which notifies the account.
    ...(awaited?.enrolled_at ? {} : seen),
  };
  const agent = { ...(awaited ?? newAgent(ctx, input)), ...changes };
  const { owner_id } = agent;
  const write = awaited ? updateAgent(ctx.db, awaited, changes) : insertAgent(ctx.db, agent);
  await commit(ctx, [consumeInstallToken(ctx.db, grant.id), write], {
    audit: {
      owner_id,
      status_page_id: agent.status_page_id,
      target_type: "agent",
      target_id: agent.id,
      summary: `enrolled agent "${agent.name}"`,
      data: { hostname: agent.hostname, version: agent.version },
    },
    guards: [
      { name: "stale", when: isInstallTokenConsumed(grant.id, awaited), error: unauthenticated() },
      ...(awaited ? [] : await capGuard(ctx, { cap: "agents", owner_id, isReached: hasAgents(owner_id) })),
    ],
  });
  // Ends the connections of the agent's former credential.
  if (awaited) wakeAgents(ctx.env, [agent.id]);
  await syncFollowers(ctx, [agent.id]);
  return { agent, token };
}

async function findAwaited(ctx: RequestScope, { hostname }: AgentEnroll): Promise<AgentRecord | undefined> {
  const { agent_id, owner_id, status_page_id } = requireInstallToken(ctx);
  if (agent_id !== null) return findAgent(ctx.db, agent_id);
  return hostname ? findUnenrolledAgent(ctx.db, { owner_id, status_page_id, hostname }) : undefined;
}

function newAgent(ctx: RequestScope, input: AgentEnroll): AgentRecord {
  const { owner_id, created_by, status_page_id } = requireInstallToken(ctx);
  return {
    id: newId(),
    owner_id,
    created_by,
    status_page_id,
    name: input.name ?? (input.hostname || "agent"),
    hostname: null,
    region: null,
    network: null,
    version: null,
    os: null,
    arch: null,
    capabilities: [],
    is_location: false,
    own_page_only: false,
    token_hash: null,
    next_token_hash: null,
    enrolled_by: null,
    status: "offline",
    last_seen_at: null,
    enrolled_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
}

/**
 * What a host says of itself holds, but for the region, which people may name better. Of its network it is not asked: the
 * address that it calls from says that, and is kept nowhere.
 */
function factsOf(ctx: RequestScope, known: AgentRecord | undefined, said: AgentHandshake) {
  return {
    hostname: said.hostname || (known?.hostname ?? null),
    region: known?.region ?? (said.region || null),
    network: ctx.network ?? known?.network ?? null,
    version: said.version ?? known?.version ?? null,
    os: said.os ?? known?.os ?? null,
    arch: said.arch ?? known?.arch ?? null,
    capabilities: said.capabilities ?? known?.capabilities ?? [],
  };
}

export async function handshakeAgent(ctx: RequestScope, input: AgentHandshake): Promise<AgentRecord> {
  const { agent } = requireCallingAgent(ctx);
  const facts = factsOf(ctx, agent, input);
  const changed = Object.keys(changedMembers(agent, { ...agent, ...facts }));
  if (changed.length === 0) return agent;
  // What it says of its host is read where it is shown. The log names what changed, once an hour, so that none fills it.
  const audit = agentAudit(agent, `agent "${agent.name}" told of its host and program`, { changed });
  const hour = Math.floor(ctx.now / HOUR_MS);
  await commit(ctx, [updateAgent(ctx.db, agent, { ...facts, updated_at: ctx.now })], {
    audit: { ...audit, once: `${agent.id} ${hour}` },
  });
  return { ...agent, ...facts };
}

/** The monitors of the calling agent, with the secrets that its probes need; of no other. */
export async function listAssignments(ctx: RequestScope): Promise<AgentAssignment[]> {
  const { agent } = requireCallingAgent(ctx);
  const monitors = await listAssigned(ctx.db, agent);
  const checked = monitors.filter((each) => !each.paused && isChecked(each));
  const secrets = await loadNamedSecrets(ctx, checked);
  const assignments = await Promise.all(checked.map((each) => assignmentOf(ctx, each, secrets.get(each.id))));
  // An older program would check the target of a journey, and call that the journey.
  return assignments.filter(({ options }) => unknownField(agent.capabilities, options) === undefined);
}

/** A monitor that only follows its agent names it, too. */
const isChecked = ({ type }: MonitorRecord) => monitorType(type).follows === undefined;

async function assignmentOf(
  ctx: RequestScope,
  monitor: MonitorRecord,
  secrets: AgentAssignment["secrets"],
): Promise<AgentAssignment> {
  return describeAssignment(monitor, { ...(await openSecrets(ctx.settings, monitor)), secrets });
}

export function agentAudit(agent: AgentRecord, summary: string, data: Record<string, unknown> = {}): AuditSubject {
  const { owner_id, status_page_id } = agent;
  return { owner_id, status_page_id, target_type: "agent", target_id: agent.id, summary, data };
}

/** Rejects the whole list when one result cannot be true or is too old to be stored. */
export async function submitResults(ctx: RequestScope, monitorId: string, results: AgentResults) {
  const monitor = await requireAssignedMonitor(ctx, monitorId);
  if (!isChecked(monitor)) throw forbidden("the monitor follows its agent and takes no results");
  const measured = results.map((result, n) => {
    const problem = problemOf((result.checked_at ?? ctx.now) - ctx.now);
    if (problem) throw invalid(`checked_at ${problem}`, [{ path: `[${n}].checked_at`, message: problem }]);
    return toMeasured(result, ctx.now);
  });
  const { agent } = requireCallingAgent(ctx);
  const taken = await acceptAgentResults(ctx, agent.id, [{ monitor, results: measured }]);
  if (taken.unreachable.has(monitor.id)) throw unavailable(UNREACHABLE);
  const status = taken.statuses.get(monitor.id);
  if (status === undefined) throw notFound("monitor");
  return { accepted: taken.accepted, status };
}

const UNREACHABLE = "the monitor's state is not available";

/** Accepts results of several monitors; one that cannot be accepted is rejected by its place in the list. */
export async function submitBulkResults(
  ctx: RequestScope,
  { results }: AgentBulkResults,
): Promise<{ accepted: number; rejected: { index: number; error: string }[] }> {
  const { agent } = requireCallingAgent(ctx);
  const named = [...new Set(results.map(({ monitor_id }) => monitor_id))];
  const found = await listAssignedAmong(ctx.db, agent, named);
  const assigned = new Map(found.filter(isChecked).map((monitor) => [monitor.id, monitor]));
  const examined = results.map((result, index) => ({ index, result, error: errorOf(ctx, result, assigned) }));
  const possible = Map.groupBy(
    examined.filter(({ error }) => error === undefined),
    ({ result }) => result.monitor_id,
  );
  const measured = [...possible].flatMap(([id, entries]) => {
    const monitor = assigned.get(id);
    return monitor ? [{ monitor, results: entries.map(({ result }) => toMeasured(result, ctx.now)) }] : [];
  });
  const { accepted, statuses, unreachable } = await acceptAgentResults(ctx, agent.id, measured);
  const rejected = examined.flatMap(({ index, result, error }) => {
    if (error !== undefined) return [{ index, error }];
    if (unreachable.has(result.monitor_id)) return [{ index, error: UNREACHABLE }];
    return statuses.has(result.monitor_id) ? [] : [{ index, error: "monitor_id does not exist" }];
  });
  return { accepted, rejected };
}

function errorOf(
  ctx: RequestScope,
  { monitor_id, checked_at }: AgentBulkResults["results"][number],
  assigned: ReadonlyMap<string, unknown>,
): string | undefined {
  if (!assigned.has(monitor_id)) return "monitor_id is not assigned to this agent";
  const problem = problemOf((checked_at ?? ctx.now) - ctx.now);
  return problem && `checked_at ${problem}`;
}

function toMeasured(result: AgentResults[number], now: number): AgentResult {
  const { status, latency_ms, message, details, evidence, observation, phases } = result;
  return {
    status,
    checked_at: result.checked_at ?? now,
    latency_ms: latency_ms === undefined || latency_ms === null ? null : Math.round(latency_ms),
    message: message ?? "",
    details: details ?? {},
    ...(evidence && { evidence: concealed(evidence) }),
    ...(observation && { observation }),
    ...(phases && { phases }),
  };
}

/** From an agent of any version: an older one masks nothing. */
function concealed(evidence: Evidence): StoredEvidence {
  const { excerpt } = evidence;
  return { ...evidence, excerpt: excerpt && maskTokens(excerpt), from_agent: true };
}

function problemOf(aheadMs: number): string | undefined {
  if (aheadMs > AHEAD_MAX_MS) return "is more than 5 minutes ahead of the service";
  return aheadMs < -DAY_MS ? "is more than 24 hours ago" : undefined;
}
