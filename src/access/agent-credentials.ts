import { unauthenticated } from "../contract/errors.ts";
import { type AgentRecord, findAgentByToken, findInstallToken } from "../data/agents/read.ts";
import { activateNextToken } from "../data/agents/write.ts";
import type { AuditRecord } from "../data/audit/read.ts";
import { insertAudit } from "../data/audit/write.ts";
import { runBatch } from "../data/db.ts";
import { wakeAgents } from "../platform/agent-objects.ts";
import { isWellFormedMachineToken, sha256Hex } from "../platform/credentials.ts";
import { idFrom } from "../platform/ids.ts";
import type { AgentPrincipal, InstallPrincipal } from "./principal.ts";
import type { CallScope } from "./scope.ts";

/** The agent behind `X-Agent-Token: ag_…`; anything else is 401. The first call with a rotated token activates it. */
export async function authenticateAgent(scope: CallScope, token: string | undefined): Promise<AgentPrincipal> {
  const { env, db, settings, now } = scope;
  if (token === undefined || !isWellFormedMachineToken("agent", token)) throw unauthenticated();
  const tokenHash = sha256Hex(token);
  const found = await findAgentByToken(db, tokenHash);
  if (!found) throw unauthenticated();
  const isNext = found.agent.next_token_hash === tokenHash;
  const agent = isNext ? { ...found.agent, token_hash: tokenHash, next_token_hash: null } : found.agent;
  if (isNext) {
    await runBatch(db, [activateNextToken(db, tokenHash), insertAudit(db, rotationAudit(agent, now))]);
    // Ends the connections that the former credential opened.
    wakeAgents(env, [agent.id]);
  }
  const evaluates_rules = (found.metric_rules ?? 0) > 0;
  return { kind: "agent", agent, plan: found.plan ?? settings.DEFAULT_PLAN, evaluates_rules };
}

/** The id is derived from the new token, so that two concurrent first calls leave one entry. */
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
    summary: `rotated the token of agent "${agent.name}"`,
    data: {},
    ip: null,
    created_at: now,
  };
}

/** The bearer of `X-Agent-Token: agi_…`, unused and not expired; anything else is 401. */
export async function authenticateInstall(
  { db, now }: CallScope,
  token: string | undefined,
): Promise<InstallPrincipal> {
  if (token === undefined || !isWellFormedMachineToken("install", token)) throw unauthenticated();
  const grant = await findInstallToken(db, sha256Hex(token), now);
  if (!grant) throw unauthenticated();
  return { kind: "install", grant };
}
