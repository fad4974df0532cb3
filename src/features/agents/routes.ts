import { createRoute, z } from "@hono/zod-openapi";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { requireSameOrigin } from "../../access/sessions.ts";
import {
  AGENT_STATUSES,
  Agent,
  AgentCreate,
  AgentDetail,
  AgentMetrics,
  AgentUpdate,
  InstallToken,
} from "../../contract/agent.ts";
import { AgentCommand, AgentCommandCreate, AgentCommandStatus } from "../../contract/agent-command.ts";
import { InstantInput } from "../../contract/common.ts";
import type { AgentRecord } from "../../data/agents/read.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import {
  presentAgent,
  presentCommand,
  presentCommandStatus,
  presentDetail,
  presentInstallToken,
  presentMetrics,
} from "./present.ts";
import {
  changeAgent,
  createAgent,
  getAgent,
  getAgentCommand,
  getAgentView,
  listAgentCommands,
  listAgentMetrics,
  listMyAgents,
  listNewestMetrics,
  mintInstallToken,
  queueCommand,
  removeAgent,
} from "./service.ts";

const tags = ["Agents"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const seen = { ...reads, ids: { params: { agent_id: "agent:see" } } } satisfies EndpointPolicy;
const writes = { ...shared, permission: "agents.write" } as const;
const named = { params: { agent_id: "agent" } } as const;
const AgentParam = z.object({ agent_id: z.uuid() });

async function presentOne(ctx: RequestScope, agent: AgentRecord) {
  const newest = await listNewestMetrics(ctx, [agent]);
  return presentAgent(agent, { now: ctx.now, newest: newest.get(agent.id) });
}

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/agents",
      tags,
      summary: "List agents",
      description: "Your agents, or those of some status pages.",
      request: {
        query: LongListQuery.extend({ status_page_id: severalOf(z.uuid()), status: severalOf(z.enum(AGENT_STATUSES)) }),
      },
      responses: { 200: json("The agents, newest first", z.array(Agent)), ...USER_ERRORS },
    }),
    async (c) => {
      const { status_page_id, status, ...page } = c.req.valid("query");
      const { rows, total } = await listMyAgents(c.var.ctx, page, { status_page_id, status });
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ created_at, id }) => [created_at, id]),
      );
      const newest = await listNewestMetrics(c.var.ctx, rows);
      return c.json(
        rows.map((agent) => presentAgent(agent, { now: c.var.now, newest: newest.get(agent.id) })),
        200,
      );
    },
  ),

  endpoint(
    { ...writes, audit: "agent.created", ids: { body: { status_page_id: "page" } } },
    createRoute({
      method: "post",
      path: "/agents",
      tags,
      summary: "Create an agent",
      description:
        "It stays offline until it is enrolled with an install token: one made for it, or one without an agent that is used on its hostname.",
      request: { body: jsonBody(AgentCreate) },
      responses: { 201: json("The agent", Agent), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await presentOne(c.var.ctx, await createAgent(c.var.ctx, c.req.valid("json"))), 201),
  ),

  // Before the addresses with an id, which `token` would be taken for.
  endpoint(
    {
      ...writes,
      audit: "agent.install_token_created",
      // The agent reads secrets of its monitors, regardless of the limits of the token that asked for its credential.
      token: "whole",
      ids: { query: { agent_id: "agent", status_page_id: "page" } },
    },
    createRoute({
      method: "get",
      path: "/agents/token",
      tags,
      summary: "Create an install token",
      description:
        "A GET that creates a credential: a request with a session must come from this service's own pages. The token enrols one agent within an hour: the agent that is named here (enrolling it again ends its previous credential), else the agent of the host's name that is not enrolled yet, else a new one.",
      request: { query: z.object({ agent_id: z.uuid().optional(), status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The token and the command that uses it", InstallToken), ...USER_ERRORS },
    }),
    async (c) => {
      // It makes a credential, so that what guards POSTs with a session guards this.
      if (requireUser(c.var.ctx).session_id !== null) requireSameOrigin(c.req.raw, c.var.publicUrl);
      const minted = await mintInstallToken(c.var.ctx, c.req.valid("query"));
      c.header("Cache-Control", "no-store");
      return c.json(presentInstallToken(minted, c.var.publicUrl), 200);
    },
  ),

  endpoint(
    seen,
    createRoute({
      method: "get",
      path: "/agents/{agent_id}",
      tags,
      summary: "Get an agent",
      request: { params: AgentParam },
      responses: { 200: json("The agent", Agent), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(await presentOne(c.var.ctx, await getAgent(c.var.ctx, c.req.valid("param").agent_id)), 200),
  ),

  endpoint(
    seen,
    createRoute({
      method: "get",
      path: "/agents/{agent_id}/detail",
      tags,
      summary: "Get an agent with its host, monitors and reports",
      description: "Monitors that you may see; the newest 100 events and discoveries of the last 24 hours.",
      request: { params: AgentParam },
      responses: { 200: json("The agent", AgentDetail), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentDetail(await getAgentView(c.var.ctx, c.req.valid("param").agent_id), c.var.now), 200),
  ),

  endpoint(
    seen,
    createRoute({
      method: "get",
      path: "/agents/{agent_id}/metrics",
      tags,
      summary: "Get the recent metrics of an agent's host",
      description: "Kept for 24 hours, and 1,000 at most.",
      request: {
        params: AgentParam,
        query: ListQuery.extend({ from: InstantInput.optional(), to: InstantInput.optional() }),
      },
      responses: { 200: json("Metrics, newest first", z.array(AgentMetrics)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { rows, total } = await listAgentMetrics(c.var.ctx, c.req.valid("param").agent_id, query);
      setListHeaders(c, query, total);
      return c.json(rows.map(presentMetrics), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "agent.updated", ids: { ...named, body: { status_page_id: "page" } } },
    createRoute({
      method: "put",
      path: "/agents/{agent_id}",
      tags,
      summary: "Update an agent",
      description:
        "Omitted fields keep their value; null clears them. 409 in_use where `is_location` is taken back while monitors name the agent; `details` names them.",
      request: { params: AgentParam, body: jsonBody(AgentUpdate) },
      responses: { 200: json("The agent", Agent), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const changed = await changeAgent(c.var.ctx, c.req.valid("param").agent_id, c.req.valid("json"));
      return c.json(await presentOne(c.var.ctx, changed), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "agent.deleted", ids: named },
    createRoute({
      method: "delete",
      path: "/agents/{agent_id}",
      tags,
      summary: "Delete an agent",
      description:
        "Its credential is revoked at once. 409 in_use while monitors run on it or name it among their locations; `details` names them.",
      request: { params: AgentParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeAgent(c.var.ctx, c.req.valid("param").agent_id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...writes, audit: "agent.commanded", ids: named },
    createRoute({
      method: "post",
      path: "/agents/{agent_id}/commands",
      tags,
      summary: "Queue a command for an agent",
      description: "The agent receives it at once while it is connected; it expires after a day.",
      request: { params: AgentParam, body: jsonBody(AgentCommandCreate) },
      responses: { 201: json("The command", AgentCommand), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const command = await queueCommand(c.var.ctx, c.req.valid("param").agent_id, c.req.valid("json"));
      return c.json(presentCommand(command), 201);
    },
  ),

  endpoint(
    seen,
    createRoute({
      method: "get",
      path: "/agents/{agent_id}/commands",
      tags,
      summary: "List an agent's commands and what came of them",
      description: "Kept for a day.",
      request: { params: AgentParam, query: ListQuery },
      responses: { 200: json("The commands, newest first", z.array(AgentCommandStatus)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listAgentCommands(c.var.ctx, c.req.valid("param").agent_id, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentCommandStatus), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { agent_id: "agent:see", command_id: "agent command:see" } } },
    createRoute({
      method: "get",
      path: "/agents/{agent_id}/commands/{command_id}",
      tags,
      summary: "Get a command and what came of it",
      request: { params: AgentParam.extend({ command_id: z.uuid() }) },
      responses: { 200: json("The command", AgentCommandStatus), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentCommandStatus(await getAgentCommand(c.var.ctx, c.req.valid("param"))), 200),
  ),
];
