import { createRoute, z } from "@hono/zod-openapi";
import { AgentCommand, AgentCommandAck, AgentCommandAcked } from "../../contract/agent-command.ts";
import { SOCKET_ANSWERS_HEADER } from "../../contract/agent-object.ts";
import { invalid } from "../../contract/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { agentCalls } from "../agent-api/policy.ts";
import { acknowledgeCommand, awaitCommands, connectForCommands } from "./service.ts";

const tags = ["Agent uplink"];
const WAIT_MAX_S = 25;

export const endpoints = [
  endpoint(
    agentCalls,
    createRoute({
      method: "get",
      path: "/agents/commands",
      tags,
      summary: "Get what is to be done",
      description: "The answer comes as soon as there is something, or empty after `wait` seconds.",
      request: { query: z.object({ wait: z.coerce.number().int().min(0).max(WAIT_MAX_S).default(WAIT_MAX_S) }) },
      responses: { 200: json("Commands, oldest first", z.array(AgentCommand)), ...USER_ERRORS },
    }),
    async (c) => {
      const commands = await awaitCommands(c.var.ctx, c.req.valid("query").wait);
      return c.json(commands, 200);
    },
  ),

  endpoint(
    agentCalls,
    createRoute({
      method: "get",
      path: "/agents/commands/live",
      tags,
      summary: "Receive commands by WebSocket",
      description:
        "Sends `{commands, monitors_changed}` at once, and again when a command is queued or GET /agents/monitors has a new answer; `ping` is answered with `pong`. Closed with code 4401 when the credential is revoked. Where the connection cannot be made, poll GET /agents/commands.",
      responses: { 101: { description: "Connected" }, ...USER_ERRORS },
    }),
    async (c) => {
      if (c.req.header("upgrade")?.toLowerCase() !== "websocket") throw invalid("upgrade must be websocket");
      const answers = c.req.header(SOCKET_ANSWERS_HEADER) !== undefined;
      const { webSocket } = await connectForCommands(c.var.ctx, { answers });
      return new Response(null, { status: 101, webSocket });
    },
  ),

  endpoint(
    { ...agentCalls, audit: "agent.command_answered", ids: { params: { id: "command" } } },
    createRoute({
      method: "post",
      path: "/agents/commands/{id}/ack",
      tags,
      summary: "Say what came of a command",
      description: "The first answer stands; repeating it changes nothing.",
      request: { params: IdParam, body: jsonBody(AgentCommandAck) },
      responses: { 200: json("It was noted", AgentCommandAcked), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { agent_token } = await acknowledgeCommand(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json({ acknowledged: true as const, agent_token }, 200);
    },
  ),
];
