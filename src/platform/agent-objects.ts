import { waitUntil } from "cloudflare:workers";
import {
  AGENT_CALLER_HEADERS,
  type AgentCaller,
  type AgentNews,
  type QueuedCommand,
} from "../contract/agent-object.ts";
import { unavailable } from "../contract/errors.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import type { Env } from "./env.ts";
import { createLogger } from "./logger.ts";
import { isObjectUnavailable } from "./monitor-objects.ts";
import { settingsOf } from "./settings.ts";

/** Connections of one invocation. */
const WOKEN_AT_ONCE = 6;
/** An agent has two seconds to answer. */
const ASKED_WITHIN_MS = 3_000;

/** Null: the credential was revoked meanwhile. */
export async function awaitAgentCommands(
  env: Env,
  caller: AgentCaller,
  waitMs: number,
): Promise<QueuedCommand[] | null> {
  try {
    return await env.AGENT.getByName(caller.agent_id).awaitCommands(caller, waitMs);
  } catch (error) {
    if (isObjectUnavailable(error)) throw unavailable("commands cannot be awaited now");
    throw error;
  }
}

/** Connects an agent with the object that sends it its commands. */
export function connectAgent(
  env: Env,
  { agent_id, token_hash }: AgentCaller,
  { answers }: { answers: boolean },
): Promise<Response> {
  const headers = {
    upgrade: "websocket",
    [AGENT_CALLER_HEADERS.agent_id]: agent_id,
    [AGENT_CALLER_HEADERS.token_hash]: token_hash,
    ...(answers && { [AGENT_CALLER_HEADERS.answers]: "1" }),
  };
  return env.AGENT.getByName(agent_id).fetch("https://agent.invalid/", { headers });
}

/** Whether an agent is connected; one that cannot be asked in time is believed to be. */
export async function isAgentThere(env: Env, agentId: string): Promise<boolean> {
  try {
    return await withDeadline(env.AGENT.getByName(agentId).isThere(), ASKED_WITHIN_MS);
  } catch (error) {
    createLogger(settingsOf(env)).error("agent: not asked", error, { agent_id: agentId });
    return true;
  }
}

/** After a commit that queued a command for these agents, ended a credential of theirs or changed their monitors. */
export function wakeAgents(env: Env, agentIds: readonly string[], news: AgentNews = { monitors_changed: false }): void {
  waitUntil(
    mapConcurrently(agentIds, WOKEN_AT_ONCE, async (id) => {
      try {
        await env.AGENT.getByName(id).wake(id, news);
      } catch (error) {
        // The agent reads its commands again when its poll ends or its connection is renewed, its monitors in between.
        createLogger(settingsOf(env)).error("agent: not woken", error, { agent_id: id });
      }
    }),
  );
}
