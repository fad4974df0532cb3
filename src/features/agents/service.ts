import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { findMembership, requirePage, viewerOf } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import { requireAgent, requireVisibleAgent, requireVisibleAgentCommand } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { AGENT_OFFLINE_AFTER_MS, type AgentCreate, type AgentStatus, type AgentUpdate } from "../../contract/agent.ts";
import type { AgentCommandCreate } from "../../contract/agent-command.ts";
import { Id } from "../../contract/common.ts";
import { forbidden, inUse, invalid, notFound } from "../../contract/errors.ts";
import { runsOnAgent } from "../../contract/location.ts";
import type { Pagination } from "../../contract/pagination.ts";
import {
  type AgentCommandRecord,
  type AgentReportRecord,
  findCommand,
  listCommands,
  listCountedReports,
  listNewestReports,
  listReports,
} from "../../data/agent-reports/read.ts";
import { insertCommand } from "../../data/agent-reports/write.ts";
import {
  type AgentRecord,
  countAssigned,
  hasAssigned,
  listAgents,
  listAssigned,
  listRunForOthers,
  listRunOn,
  runsForOthers,
} from "../../data/agents/read.ts";
import { deleteAgent, insertAgent, insertInstallToken, updateAgent } from "../../data/agents/write.ts";
import { isLocation, listVotedOn } from "../../data/locations/read.ts";
import { findMonitor, type MonitorRecord } from "../../data/monitors/read.ts";
import { hasAgents } from "../../data/plan-caps/read.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { changedMembers } from "../../lib/merge-field.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { newMachineToken, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { mayEnrolAgent } from "./enrolment-rights.ts";
import type { AgentView } from "./present.ts";

const INSTALL_TOKEN_MS = HOUR_MS;
const SHOWN_REPORTS = 100;
/** A refusal names as many monitors. */
const NAMED_MAX = 10;

export async function listMyAgents(
  ctx: RequestScope,
  page: Pagination,
  filter: { status?: AgentStatus[]; status_page_id?: string[] },
) {
  const silent_since = ctx.now - AGENT_OFFLINE_AFTER_MS;
  return listAgents(ctx.db, await viewerOf(ctx), page, { ...filter, silent_since });
}

export async function getAgent(ctx: RequestScope, agentId: string): Promise<AgentRecord> {
  return await requireVisibleAgent(ctx, agentId);
}

/** Of its monitors, members of a page see those that are on a page of theirs. */
export async function getAgentView(ctx: RequestScope, agentId: string): Promise<AgentView> {
  const agent = await getAgent(ctx, agentId);
  const of = (kind: AgentReportRecord["kind"], limit: number) =>
    listReports(ctx.db, { agent_id: agentId, kind }, { limit });
  const [monitors, [metrics], events, discoveries] = await Promise.all([
    listVisibleMonitors(ctx, agent),
    of("metric", 1),
    of("event", SHOWN_REPORTS),
    of("discovery", SHOWN_REPORTS),
  ]);
  return { agent, monitors, metrics, events, discoveries };
}

/** The monitors of an agent that the caller may see. */
export async function listVisibleMonitors(ctx: RequestScope, agent: AgentRecord): Promise<MonitorRecord[]> {
  const monitors = await listAssigned(ctx.db, agent);
  const isVisible = await Promise.all(monitors.map((monitor) => maySee(ctx, monitor)));
  return monitors.filter((_, n) => isVisible[n]);
}

async function maySee(ctx: RequestScope, monitor: MonitorRecord): Promise<boolean> {
  return (await findMembership(ctx, monitor)) !== undefined;
}

export async function listAgentMetrics(
  ctx: RequestScope,
  agentId: string,
  range: { from?: number; to?: number; limit: number; offset: number },
) {
  const agent = await getAgent(ctx, agentId);
  return listCountedReports(ctx.db, { agent_id: agent.id, kind: "metric" }, range);
}

/** What each of these agents measured last of its host and of itself; those that have not are left out. */
export function listNewestMetrics({ db }: RequestScope, agents: readonly AgentRecord[]) {
  return listNewestReports(db, { agentIds: agents.map(({ id }) => id), kind: "metric" });
}

/** Creates an agent that is not enrolled yet; it stays offline until then. */
export async function createAgent(ctx: RequestScope, input: AgentCreate): Promise<AgentRecord> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return requireAgent(ctx, earlier);
  const status_page_id = input.status_page_id ?? null;
  const agent: AgentRecord = {
    id: newId(),
    owner_id: await ownerOf(ctx, status_page_id),
    created_by: requireUser(ctx).user_id,
    status_page_id,
    name: input.name,
    hostname: input.hostname ?? null,
    region: input.region ?? null,
    network: null,
    version: null,
    os: null,
    arch: null,
    capabilities: [],
    is_location: input.is_location ?? false,
    own_page_only: input.own_page_only ?? false,
    token_hash: null,
    next_token_hash: null,
    enrolled_by: null,
    status: "offline",
    last_seen_at: null,
    enrolled_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  requirePageToServe(agent);
  const { owner_id } = agent;
  await commit(ctx, [insertAgent(ctx.db, agent)], {
    audit: agentAudit(agent, "created"),
    guards: await capGuard(ctx, { cap: "agents", owner_id, isReached: hasAgents(owner_id) }),
  });
  return agent;
}

export async function changeAgent(ctx: RequestScope, agentId: string, input: AgentUpdate): Promise<AgentRecord> {
  const agent = await requireAgent(ctx, agentId);
  const status_page_id = input.status_page_id === undefined ? agent.status_page_id : input.status_page_id;
  if (status_page_id !== agent.status_page_id && (await ownerOf(ctx, status_page_id)) !== agent.owner_id) {
    throw forbidden("an agent cannot move to another owner");
  }
  const changed: AgentRecord = {
    ...agent,
    name: input.name ?? agent.name,
    hostname: input.hostname === undefined ? agent.hostname : input.hostname,
    region: input.region === undefined ? agent.region : input.region,
    is_location: input.is_location === undefined ? agent.is_location : (input.is_location ?? false),
    own_page_only: input.own_page_only === undefined ? agent.own_page_only : (input.own_page_only ?? false),
    status_page_id,
    updated_at: ctx.now,
  };
  requirePageToServe(changed);
  if (changed.own_page_only) await requireNoOtherPages(ctx, changed);
  const isUnmarked = agent.is_location && !changed.is_location;
  if (isUnmarked) await requireNoVotes(ctx, agentId);
  const guards: Guard[] = [];
  if (isUnmarked) guards.push({ name: "stale", when: isLocation(agentId), error: usedBy(1, [], VOTES) });
  if (changed.own_page_only) {
    guards.push({ name: "stale", when: runsForOthers(agentId, status_page_id), error: usedBy(1, [], ELSEWHERE) });
  }
  const changes = { ...changedMembers(agent, changed), updated_at: ctx.now };
  await commit(ctx, [updateAgent(ctx.db, agent, changes)], {
    audit: agentAudit(changed, "changed"),
    guards,
  });
  return changed;
}

const VOTES = "is a location of";
const ELSEWHERE = "also runs, for other status pages,";

function requirePageToServe({ own_page_only, status_page_id }: AgentRecord): void {
  if (!own_page_only || status_page_id !== null) return;
  const message = "needs the status_page_id of the agent's own page";
  throw invalid(`own_page_only ${message}`, [{ path: "own_page_only", message }]);
}

async function requireNoOtherPages(ctx: RequestScope, agent: AgentRecord): Promise<void> {
  const others = await listRunForOthers(ctx.db, agent, NAMED_MAX);
  if (others.total > 0) throw usedBy(others.total, others.monitors, ELSEWHERE);
}

async function requireNoVotes(ctx: RequestScope, agentId: string): Promise<void> {
  const { total, monitors } = await listVotedOn(ctx.db, agentId, NAMED_MAX);
  if (total > 0) throw usedBy(total, monitors, VOTES);
}

/** Its credential is worth nothing from then on. Refused while monitors need it, since nothing else reaches their targets. */
export async function removeAgent(ctx: RequestScope, agentId: string): Promise<void> {
  const agent = await requireAgent(ctx, agentId);
  const assigned = await countAssigned(ctx.db, agentId);
  if (assigned > 0) throw usedBy(assigned, await listRunOn(ctx.db, agentId, NAMED_MAX));
  await commit(ctx, [deleteAgent(ctx.db, agent)], {
    audit: agentAudit(agent, "deleted"),
    guards: [{ name: "stale", when: hasAssigned(agentId), error: usedBy(1, []) }],
  });
  wakeAgents(ctx.env, [agentId]);
}

/** Names the first of the monitors that use an agent. */
function usedBy(total: number, monitors: readonly { id: string; name: string }[], by = "still runs") {
  const names = monitors.map(({ name }) => `"${name}"`).join(", ");
  return inUse(
    `the agent ${by} ${total} monitor${total === 1 ? "" : "s"}; reassign them first${names && `: ${names}`}`,
    monitors.map(({ id, name }) => ({ path: `monitors.${id}`, message: name })),
  );
}

export async function mintInstallToken(
  ctx: RequestScope,
  wanted: { agent_id?: string; status_page_id?: string },
): Promise<{ token: string; expires_at: number }> {
  const agent = wanted.agent_id === undefined ? null : await requireAgent(ctx, wanted.agent_id);
  if (agent && !(await mayEnrolAgent(ctx.db, agent, requireUser(ctx).user_id))) throw enrolmentForbidden();
  const status_page_id = agent ? agent.status_page_id : (wanted.status_page_id ?? null);
  const token = newMachineToken("install");
  const record = {
    id: newId(),
    token_hash: sha256Hex(token),
    owner_id: agent?.owner_id ?? (await ownerOf(ctx, status_page_id)),
    created_by: requireUser(ctx).user_id,
    agent_id: agent?.id ?? null,
    status_page_id,
    expires_at: ctx.now + INSTALL_TOKEN_MS,
    created_at: ctx.now,
  };
  await commit(ctx, [insertInstallToken(ctx.db, record)], {
    audit: {
      owner_id: record.owner_id,
      status_page_id,
      target_type: "install_token",
      target_id: record.id,
      summary: agent ? `created an install token for agent "${agent.name}"` : "created an install token for an agent",
      data: { agent_id: record.agent_id },
    },
  });
  return { token, expires_at: record.expires_at };
}

export function enrolmentForbidden() {
  return forbidden("enrolling this agent needs secrets.read on the status pages of all of its monitors");
}

export async function listAgentCommands(ctx: RequestScope, agentId: string, page: Pagination) {
  const agent = await requireVisibleAgent(ctx, agentId);
  return listCommands(ctx.db, agent.id, page);
}

export async function getAgentCommand(
  ctx: RequestScope,
  at: { agent_id: string; command_id: string },
): Promise<AgentCommandRecord> {
  const agent = await requireVisibleAgent(ctx, at.agent_id);
  const command = await requireVisibleAgentCommand(ctx, at.command_id);
  if (command.agent_id !== agent.id) throw notFound("command");
  return command;
}

/** Something that the agent is to do once, within a day. */
export async function queueCommand(
  ctx: RequestScope,
  agentId: string,
  input: AgentCommandCreate,
): Promise<AgentCommandRecord> {
  const agent = await requireAgent(ctx, agentId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) {
    const made = await findCommand(ctx.db, agentId, earlier);
    if (!made) throw notFound("command");
    return made;
  }
  await requireOwnMonitor(ctx, agent, input);
  const unanswered = { acked_at: null, ok: null, result: null, error: null };
  const command: AgentCommandRecord = {
    id: newId(),
    agent_id: agent.id,
    type: input.type,
    params: input.params ?? {},
    created_at: ctx.now,
    ...unanswered,
  };
  await commit(ctx, [insertCommand(ctx.db, command)], {
    audit: { ...agentAudit(agent, `queued ${input.type} for`), target_type: "agent_command", target_id: command.id },
  });
  wakeAgents(ctx.env, [agent.id]);
  return command;
}

/** The monitor that check_now names, if any, must run on the agent. */
async function requireOwnMonitor(ctx: RequestScope, agent: AgentRecord, { type, params }: AgentCommandCreate) {
  const named = params?.monitor_id ?? null;
  if (type !== "check_now" || named === null) return;
  const { data: id } = Id.safeParse(named);
  const monitor = id === undefined ? undefined : await findMonitor(ctx.db, id);
  if (monitor && runsOnAgent(monitor, agent.id)) return;
  const message = "must be a monitor that runs on the agent";
  throw invalid(`params.monitor_id ${message}`, [{ path: "params.monitor_id", message }]);
}

/** An agent of a page belongs to the page's owner, one without a page to the user who creates it. */
async function ownerOf(ctx: RequestScope, statusPageId: string | null): Promise<string> {
  if (statusPageId === null) return requireUser(ctx).user_id;
  return (await requirePage(ctx, statusPageId)).owner_id;
}

function agentAudit(agent: AgentRecord, verb: string) {
  return {
    owner_id: agent.owner_id,
    status_page_id: agent.status_page_id,
    target_type: "agent",
    target_id: agent.id,
    summary: `${verb} agent "${agent.name}"`,
    data: { hostname: agent.hostname, region: agent.region },
  };
}
