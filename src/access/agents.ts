import { forbidden, notFound, unauthenticated } from "../contract/errors.ts";
import { type AgentCommandRecord, findCommand } from "../data/agent-reports/read.ts";
import { type AgentRecord, findAgent, findAgentByToken, findInstallToken, touchAgent } from "../data/agents/read.ts";
import { activateNextToken } from "../data/agents/write.ts";
import type { AuditRecord } from "../data/audit/read.ts";
import { insertAudit } from "../data/audit/write.ts";
import { openDb, runBatch } from "../data/db.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import type { Membership } from "../domain/roles.ts";
import { isWellFormedMachineToken, sha256Hex } from "../platform/credentials.ts";
import type { Env } from "../platform/env.ts";
import { idFrom } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import type { Settings } from "../platform/settings.ts";
import { setAgentPresence } from "./agent-presence.ts";
import { findMembership, once, requirePermission } from "./pages.ts";
import { type AgentPrincipal, type InstallPrincipal, requireCallingAgent } from "./principal.ts";
import type { RequestScope } from "./request-scope.ts";

/** `last_seen_at` may lag by this much, so that a busy agent costs three rows a minute. */
const SEEN_LAG_MS = 20_000;

export interface AccessibleAgent {
  agent: AgentRecord;
  membership: Membership;
}

/** An agent is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleAgent(ctx: RequestScope, agentId: string): Promise<AccessibleAgent> {
  return once(ctx, `agent ${agentId}`, async () => {
    const agent = await findAgent(ctx.db, agentId);
    const membership = agent && (await findMembership(ctx, agent));
    if (!agent || !membership) throw notFound("agent");
    return { agent, membership };
  });
}

export async function requireAgent(ctx: RequestScope, agentId: string): Promise<AgentRecord> {
  const { agent, membership } = await requireVisibleAgent(ctx, agentId);
  requirePermission(membership, ctx.permission);
  return agent;
}

/** A monitor of the calling agent; of the same account but not given to this agent is 403. */
export function requireAssignedMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorRecord> {
  return once(ctx, `assigned monitor ${monitorId}`, async () => {
    const { agent } = requireCallingAgent(ctx);
    const monitor = await findMonitor(ctx.db, monitorId);
    if (monitor?.owner_id !== agent.owner_id) throw notFound("monitor");
    if (monitor.agent_id !== agent.id) throw forbidden("the monitor is not assigned to this agent");
    return monitor;
  });
}

export function requireOwnCommand(ctx: RequestScope, commandId: string): Promise<AgentCommandRecord> {
  return once(ctx, `command ${commandId}`, async () => {
    const command = await findCommand(ctx.db, requireCallingAgent(ctx).agent.id, commandId);
    if (!command) throw notFound("command");
    return command;
  });
}

interface AuthInput {
  env: Env;
  settings: Settings;
  log: Logger;
  token: string | undefined;
  now: number;
  defer(work: Promise<unknown>): void;
}

/** The agent behind `X-Agent-Token: ag_…`, which is thereby seen; anything else is 401. */
export async function authenticateAgent(presented: AuthInput): Promise<AgentPrincipal> {
  const { env, settings, token, now } = presented;
  if (token === undefined || !isWellFormedMachineToken("agent", token)) throw unauthenticated();
  const db = openDb(env.DB);
  const tokenHash = sha256Hex(token);
  const found = await findAgentByToken(db, tokenHash);
  if (!found) throw unauthenticated();
  const { plan } = found;
  const isNext = found.agent.next_token_hash === tokenHash;
  const agent = isNext ? { ...found.agent, token_hash: tokenHash, next_token_hash: null } : found.agent;
  if (isNext) await runBatch(db, [activateNextToken(db, tokenHash), insertAudit(db, rotationAudit(agent, now))]);
  if (agent.status === "offline") await setAgentPresence({ ...presented, db }, agent, { to: "online", now });
  else if (now - (agent.last_seen_at ?? 0) >= SEEN_LAG_MS) presented.defer(touchAgent(db, agent.id, now));
  return { kind: "agent", agent, plan: plan ?? settings.DEFAULT_PLAN };
}

/** The id follows from the deed, so that of two first calls at once one is listed. */
function rotationAudit(agent: AgentRecord, now: number): AuditRecord {
  return {
    id: idFrom("audit", agent.id, "agent.token_rotated", agent.token_hash ?? ""),
    owner_id: agent.owner_id,
    event_type: "agent.token_rotated",
    actor_type: "agent",
    actor_id: agent.id,
    actor_name: agent.name,
    monitor_id: null,
    status_page_id: agent.status_page_id,
    target_type: "agent",
    target_id: agent.id,
    summary: `agent "${agent.name}" uses its next credential; the one before is worth nothing`,
    data: {},
    ip: null,
    created_at: now,
  };
}

/** Whoever holds `X-Agent-Token: agi_…`, unspent and in time; anything else is 401. */
export async function authenticateInstall({ env, token, now }: AuthInput): Promise<InstallPrincipal> {
  if (token === undefined || !isWellFormedMachineToken("install", token)) throw unauthenticated();
  const grant = await findInstallToken(openDb(env.DB), sha256Hex(token), now);
  if (!grant) throw unauthenticated();
  return { kind: "install", grant };
}
