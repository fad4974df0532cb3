import type { AgentStatus } from "../contract/agent.ts";
import { type AgentRecord, switchAgentStatus } from "../data/agents/read.ts";
import type { Db } from "../data/db.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";

interface Around {
  env: Env;
  db: Db;
  log: Logger;
}

/**
 * Marks an agent online or offline, and tells of it once however many notice at the same time. Gives whether this call
 * was the one.
 */
export async function setAgentPresence(
  { env, db, log }: Around,
  agent: AgentRecord,
  change: { to: AgentStatus; now: number; silent_since?: number },
): Promise<boolean> {
  const event = agentEvent(agent, change.to, change.now);
  if (!(await switchAgentStatus(db, { ...change, agent_id: agent.id, event }))) return false;
  try {
    await env.EVENTS.send({ event_id: event.id });
  } catch (error) {
    // The event is stored; the minute's sweep wakes its consumer.
    log.warn("agent event left to the sweep", { agent_id: agent.id, cause: String(error) });
  }
  return true;
}

function agentEvent(agent: AgentRecord, to: AgentStatus, now: number) {
  return {
    id: newId(now),
    owner_id: agent.owner_id,
    status_page_id: agent.status_page_id,
    monitor_id: null,
    name: to === "online" ? "agent.online" : "agent.offline",
    classification: "public" as const,
    data: {
      agent_id: agent.id,
      agent_name: agent.name,
      hostname: agent.hostname,
      status: to,
      previous_status: agent.status,
      message: to === "online" ? `${agent.name} is back` : `nothing was heard of ${agent.name}`,
      last_seen_at: toIsoOrNull(agent.last_seen_at),
      since: toIso(now),
    },
    created_at: now,
    processed_at: null,
  };
}
