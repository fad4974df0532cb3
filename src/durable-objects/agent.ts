import { DurableObject } from "cloudflare:workers";
import type { AgentCommandsMessage } from "../contract/agent-command.ts";
import {
  AGENT_CALLER_HEADERS,
  AGENT_SOCKETS_MAX,
  type AgentCaller,
  type AgentNews,
  type AgentRpc,
  AgentSocketAttachment,
  type QueuedCommand,
  SOCKET_ASK,
  SOCKET_PING,
  SOCKET_PONG,
  SOCKET_REPLACED,
  SOCKET_REVOKED,
} from "../contract/agent-object.ts";
import { listWaitingCommands } from "../data/agent-reports/read.ts";
import { findAgent } from "../data/agents/read.ts";
import { openDb } from "../data/db.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";

/** How long an agent has to answer, and how often that is looked for. */
const ANSWERED_WITHIN_MS = 2_000;
const LOOKED_EVERY_MS = 100;

interface Waiting {
  /** The one credential that the agent has now; null where the agent is gone or not enrolled. */
  token_hash: string | null;
  commands: QueuedCommand[];
}

/**
 * Where one agent waits for commands: by a WebSocket that sleeps with the object, or by a long poll. It stores nothing;
 * D1 holds the commands and is read when something was queued, never while nothing happens.
 */
export class AgentObject extends DurableObject<Env> implements AgentRpc {
  #wakers = new Set<() => void>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    // Answered by the runtime, so that an agent finds out that its connection is dead without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(SOCKET_PING, SOCKET_PONG));
  }

  async awaitCommands({ agent_id, token_hash }: AgentCaller, waitMs: number): Promise<QueuedCommand[] | null> {
    let waker = () => {};
    const woken = new Promise<void>((resolve) => {
      waker = resolve;
    });
    // Before the database is read, so that nothing that is queued meanwhile is missed.
    this.#wakers.add(waker);
    try {
      let waiting = await this.#read(agent_id);
      if (waiting.commands.length === 0 && waitMs > 0) {
        await Promise.race([woken, scheduler.wait(waitMs)]);
        waiting = await this.#read(agent_id);
      }
      return waiting.token_hash === token_hash ? waiting.commands : null;
    } finally {
      this.#wakers.delete(waker);
    }
  }

  async wake(agentId: string, { monitors_changed }: AgentNews): Promise<void> {
    for (const waker of this.#wakers) waker();
    const sockets = this.ctx.getWebSockets();
    if (sockets.length === 0) return;
    const { token_hash, commands } = await this.#read(agentId);
    for (const socket of sockets) {
      if (attachmentOf(socket).token_hash !== token_hash) socket.close(SOCKET_REVOKED, "the credential was revoked");
      else if (commands.length > 0 || monitors_changed) send(socket, { commands, monitors_changed });
    }
  }

  /** A host that lost its power or its network closes no connection, so that an open one alone says nothing. */
  async isThere(): Promise<boolean> {
    if (this.#wakers.size > 0) return true;
    const sockets = this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
    if (sockets.some((socket) => !attachmentOf(socket).answers)) return true;
    const heardOf = (socket: WebSocket) => this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    const before = sockets.map(heardOf);
    for (const socket of sockets) socket.send(SOCKET_ASK);
    for (let waited = 0; sockets.length > 0 && waited < ANSWERED_WITHIN_MS; waited += LOOKED_EVERY_MS) {
      await scheduler.wait(LOOKED_EVERY_MS);
      if (sockets.some((socket, n) => heardOf(socket) !== before[n])) return true;
    }
    return false;
  }

  /** Accepts the connection of an agent, which the agent API has authenticated; its first message has what waits. */
  override async fetch(request: Request): Promise<Response> {
    const attachment = AgentSocketAttachment.parse({
      agent_id: request.headers.get(AGENT_CALLER_HEADERS.agent_id),
      token_hash: request.headers.get(AGENT_CALLER_HEADERS.token_hash),
      opened_at: now(),
      answers: request.headers.get(AGENT_CALLER_HEADERS.answers) !== null,
    });
    this.#makeRoom();
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment(attachment);
    const { token_hash, commands } = await this.#read(attachment.agent_id);
    // What changed before, the agent may have missed.
    if (token_hash === attachment.token_hash) send(server, { commands, monitors_changed: true });
    else server.close(SOCKET_REVOKED, "the credential was revoked");
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Agents acknowledge over HTTP and only listen here. */
  override async webSocketMessage(socket: WebSocket): Promise<void> {
    socket.close(1008, "nothing is accepted here");
  }

  #makeRoom(): void {
    const oldestFirst = this.ctx
      .getWebSockets()
      .toSorted((a, b) => attachmentOf(a).opened_at - attachmentOf(b).opened_at);
    const surplus = oldestFirst.slice(0, Math.max(0, oldestFirst.length - AGENT_SOCKETS_MAX + 1));
    for (const socket of surplus) socket.close(SOCKET_REPLACED, "the agent has newer connections");
  }

  async #read(agentId: string): Promise<Waiting> {
    const db = openDb(this.env.DB);
    const [agent, commands] = await Promise.all([findAgent(db, agentId), listWaitingCommands(db, agentId)]);
    return {
      token_hash: agent?.token_hash ?? null,
      commands: commands.map(({ id, type, params }) => ({ id, type, params })),
    };
  }
}

function attachmentOf(socket: WebSocket): AgentSocketAttachment {
  return AgentSocketAttachment.parse(socket.deserializeAttachment());
}

function send(socket: WebSocket, message: AgentCommandsMessage): void {
  socket.send(JSON.stringify(message));
}
