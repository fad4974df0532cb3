import { createRoute, z } from "@hono/zod-openapi";
import {
  AGENT_HEARTBEAT_S,
  AGENT_POLL_S,
  AgentAssignment,
  AgentBulkAccepted,
  AgentBulkResults,
  AgentDiscoveriesReport,
  AgentEnroll,
  AgentEnrolled,
  AgentEventsReport,
  AgentHandshake,
  AgentHandshakeResponse,
  AgentMetricsReport,
  AgentResults,
  AgentResultsAccepted,
  ReportsAccepted,
} from "../../contract/agent.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { VERSION } from "../../platform/version.ts";
import { agentCalls } from "./policy.ts";
import { reportDiscoveries, reportEvents, reportMetrics } from "./reports.ts";
import { enrollAgent, handshakeAgent, listAssignments, submitBulkResults, submitResults } from "./service.ts";

const tags = ["Agent uplink"];
const RHYTHM = { heartbeat_interval_seconds: AGENT_HEARTBEAT_S, poll_interval_seconds: AGENT_POLL_S };

export const endpoints = [
  endpoint(
    { at: ["v1"], auth: "install", permission: null, audit: "agent.enrolled", rate: "agent" },
    createRoute({
      method: "post",
      path: "/agents/enroll",
      tags,
      summary: "Trade an install token for an agent's credential",
      description: "Once per token, which is sent as X-Agent-Token.",
      request: { body: jsonBody(AgentEnroll) },
      responses: { 201: json("The agent", AgentEnrolled), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { agent, token } = await enrollAgent(c.var.ctx, c.req.valid("json"));
      return c.json({ agent_id: agent.id, agent_token: token, name: agent.name, config: RHYTHM }, 201);
    },
  ),

  endpoint(
    { ...agentCalls, audit: "agent.host_changed" },
    createRoute({
      method: "post",
      path: "/agents/handshake",
      tags,
      summary: "Say hello",
      description: "Every call counts as a sign of life; an agent that is silent for 90 seconds is offline.",
      request: { body: jsonBody(AgentHandshake) },
      responses: { 200: json("What the agent has to know", AgentHandshakeResponse), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { id } = await handshakeAgent(c.var.ctx, c.req.valid("json"));
      return c.json({ agent_id: id, server_time: toIso(c.var.now), ...RHYTHM, latest_version: VERSION }, 200);
    },
  ),

  endpoint(
    agentCalls,
    createRoute({
      method: "get",
      path: "/agents/monitors",
      tags,
      summary: "Get the monitors to check",
      description: "Those of the calling agent that are not paused, secrets included. Answers If-None-Match.",
      responses: {
        200: json("What to check", z.array(AgentAssignment)),
        304: { description: "Nothing has changed" },
        ...USER_ERRORS,
      },
    }),
    async (c) => {
      const assignments = await listAssignments(c.var.ctx);
      const etag = `"${sha256Hex(JSON.stringify(assignments))}"`;
      c.header("ETag", etag);
      if (c.req.header("if-none-match")?.includes(etag)) return c.body(null, 304);
      return c.json(assignments, 200);
    },
  ),

  endpoint(
    agentCalls,
    createRoute({
      method: "post",
      path: "/agents/metrics",
      tags,
      summary: "Report metrics of the host",
      description: "One, or at most 100. The same collected_at twice counts once.",
      request: { body: jsonBody(AgentMetricsReport) },
      responses: { 200: json("How many were taken", ReportsAccepted), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ accepted: await reportMetrics(c.var.ctx, c.req.valid("json")) }, 200),
  ),

  endpoint(
    agentCalls,
    createRoute({
      method: "post",
      path: "/agents/events",
      tags,
      summary: "Report events, as one would log them",
      request: { body: jsonBody(AgentEventsReport) },
      responses: { 200: json("How many were taken", ReportsAccepted), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ accepted: await reportEvents(c.var.ctx, c.req.valid("json")) }, 200),
  ),

  endpoint(
    { ...agentCalls, audit: "agent.discovered" },
    createRoute({
      method: "post",
      path: "/agents/discoveries",
      tags,
      summary: "Report services found on the host",
      request: { body: jsonBody(AgentDiscoveriesReport) },
      responses: { 200: json("How many were taken", ReportsAccepted), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ accepted: await reportDiscoveries(c.var.ctx, c.req.valid("json")) }, 200),
  ),

  endpoint(
    { ...agentCalls, ids: { params: { id: "monitor:assigned" } } },
    createRoute({
      method: "post",
      path: "/monitors/{id}/status",
      tags,
      summary: "Submit results of checks",
      description:
        "One result, or at most 100. The same checked_at twice counts once; up to 5 minutes ahead and 24 hours back are taken. Results that are too old to say anything about the present fill in what was unknown, and fire nothing.",
      request: { params: IdParam, body: jsonBody(AgentResults) },
      responses: {
        200: json("How many were new, and the status now", AgentResultsAccepted),
        ...OBJECT_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const { accepted, status } = await submitResults(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json({ accepted, status }, 200);
    },
  ),

  endpoint(
    agentCalls,
    createRoute({
      method: "post",
      path: "/agents/results",
      tags,
      summary: "Submit results of several monitors",
      description:
        "At most 500 results of monitors that are assigned to the agent, each as in POST /monitors/{id}/status. One that cannot be accepted is listed in `rejected` and does not affect the others.",
      request: { body: jsonBody(AgentBulkResults) },
      responses: {
        200: json("Number of new results, and the rejected ones", AgentBulkAccepted),
        ...USER_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => c.json(await submitBulkResults(c.var.ctx, c.req.valid("json")), 200),
  ),
];
