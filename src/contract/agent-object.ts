import { z } from "zod";
import type { AgentCommand } from "./agent-command.ts";

/** The credential that an agent called with, and the agent that it belongs to. */
export interface AgentCaller {
  agent_id: string;
  token_hash: string;
}

export type QueuedCommand = z.infer<typeof AgentCommand>;

/** What an AgentObject offers: one object for each agent. */
export interface AgentRpc {
  /** The agent's waiting commands, as soon as there are some or the time is up; null: the credential is revoked. */
  awaitCommands(caller: AgentCaller, waitMs: number): Promise<QueuedCommand[] | null>;
  /** To be called after every commit that queues a command, ends a credential or changes the agent's monitors. */
  wake(agentId: string, news: AgentNews): Promise<void>;
  /** Whether the agent is connected and answers; of an older program, which cannot answer, whether it is connected. */
  isThere(): Promise<boolean>;
}

export interface AgentNews {
  /** Settings of monitors that the agent runs, or which these are. */
  monitors_changed: boolean;
}

/** Connections of one agent. Choice: a host that was cloned has several; each must get its commands. */
export const AGENT_SOCKETS_MAX = 4;

/** Headers by which the agent API introduces a connection to the object. */
export const AGENT_CALLER_HEADERS = {
  agent_id: "x-vigil-agent",
  token_hash: "x-vigil-token-hash",
  answers: "x-vigil-answers",
} as const;

/** Closing codes of the range that RFC 6455 leaves to applications. */
export const SOCKET_REVOKED = 4401;
export const SOCKET_REPLACED = 4409;
/** What a client sends to find out whether its connection lives, and what the runtime answers. */
export const SOCKET_PING = "ping";
export const SOCKET_PONG = "pong";
/** What the service sends to find out whether an agent is there, which answers with SOCKET_PING. */
export const SOCKET_ASK = "there?";
/** How an agent says that it answers. */
export const SOCKET_ANSWERS_HEADER = "x-agent-answers";

/** What outlives the sleep of the object, with each connection. */
export const AgentSocketAttachment = z.object({
  agent_id: z.string(),
  token_hash: z.string(),
  opened_at: z.number(),
  answers: z.boolean().catch(false),
});
export type AgentSocketAttachment = z.infer<typeof AgentSocketAttachment>;
