import { createRoute, z } from "@hono/zod-openapi";
import { recordAgentCall } from "../../checks/agent-presence.ts";
import {
  AGENT_HEARTBEAT_S,
  AGENT_POLL_S,
  AgentAssignment,
  AgentBulkAccepted,
  AgentBulkResults,
  AgentCommand,
  AgentCommandAck,
  AgentCommandAcked,
  AgentDiscoveriesReport,
  AgentEnroll,
  AgentEnrolled,
  AgentEventsReport,
  AgentHandshake,
  AgentHandshakeResponse,
  AgentMetricsReport,
  AgentProgram,
  AgentResults,
  AgentResultsAccepted,
  ReportsAccepted,
} from "../../contract/agent.ts";
import { notFound } from "../../contract/errors.ts";
import { type EndpointPolicy, endpoint, SURFACES } from "../../http/endpoint.ts";
import {
  BODY_ERRORS,
  IdParam,
  json,
  jsonBody,
  OBJECT_ERRORS,
  PUBLIC_ERRORS,
  USER_ERRORS,
} from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { VERSION } from "../../platform/version.ts";
import { readInstallScript, readProgram, readProgramManifest, readProgramSignature } from "./program.ts";
import { reportDiscoveries, reportEvents, reportMetrics } from "./reports.ts";
import {
  acknowledgeCommand,
  awaitCommands,
  enrollAgent,
  handshakeAgent,
  listAssignments,
  submitBulkResults,
  submitResults,
} from "./service.ts";

const tags = ["Agent uplink"];
const WAIT_MAX_S = 25;
const RHYTHM = { heartbeat_interval_seconds: AGENT_HEARTBEAT_S, poll_interval_seconds: AGENT_POLL_S };

/**
 * Choice: what an agent measures (metrics, log events, results of checks) leaves no audit row of its own. It comes every
 * few seconds, is kept where it can be read as what it is, and would bury what people look for; what results lead to,
 * incidents, is audited. That it enrolled, whose credential changed, what it says of its host and program, what it found
 * for the first time and what came of a command are audited.
 */
const calls = {
  at: ["v1"],
  auth: "agent",
  permission: null,
  audit: null,
  rate: "agent",
  onAuthenticated: recordAgentCall,
} satisfies EndpointPolicy;

const shared = {
  at: ["v1"],
  auth: "public",
  permission: null,
  audit: null,
  rate: "public",
} satisfies EndpointPolicy;
const CACHE_CONTROL = "public, max-age=300";
/** Where the program is downloaded; an installed agent asks for its signature there, too. */
const PROGRAM_PATH = "/agents/program/vigil-agent.mjs";

const text = (type: string) => ({ content: { [type]: { schema: z.string() } } });

export const endpoints = [
  endpoint(
    shared,
    createRoute({
      method: "get",
      path: "/agents/version",
      tags,
      summary: "Get the agent program that this service offers",
      responses: { 200: json("Version, checksum and address", AgentProgram), ...PUBLIC_ERRORS },
    }),
    async (c) => {
      const { version, sha256 } = await readProgramManifest(c.env);
      const url = `${c.var.publicUrl}${SURFACES.v1}${PROGRAM_PATH}`;
      return c.json({ version, sha256, url }, 200, { "Cache-Control": CACHE_CONTROL });
    },
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: "/agents/install",
      tags,
      summary: "Download the script that installs an agent",
      description: "For a POSIX shell; `sh -s -- --help` explains its options.",
      responses: { 200: { description: "The script", ...text("text/x-shellscript") }, ...PUBLIC_ERRORS },
    }),
    async (c) =>
      c.body(await readInstallScript(c.env, c.var.publicUrl), 200, {
        "Content-Type": "text/x-shellscript; charset=utf-8",
        "Cache-Control": CACHE_CONTROL,
      }),
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: PROGRAM_PATH,
      tags,
      summary: "Download the agent program",
      description: "One file for Node.js 20 and newer.",
      responses: { 200: { description: "The program", ...text("text/javascript") }, ...PUBLIC_ERRORS },
    }),
    async (c) =>
      c.body(await readProgram(c.env), 200, {
        "Content-Type": "text/javascript; charset=utf-8",
        "Cache-Control": CACHE_CONTROL,
      }),
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: `${PROGRAM_PATH}.sig`,
      tags,
      summary: "Download the signature of the agent program",
      description: "Ed25519, in base64. 404 where the operator does not sign the program.",
      responses: { 200: { description: "The signature", ...text("text/plain") }, ...OBJECT_ERRORS },
    }),
    async (c) => {
      const signature = await readProgramSignature(c.env);
      if (signature === null) throw notFound("signature");
      return c.body(signature, 200, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": CACHE_CONTROL });
    },
  ),

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
    { ...calls, audit: "agent.host_changed" },
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
    calls,
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
    calls,
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
    calls,
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
    { ...calls, audit: "agent.discovered" },
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
    calls,
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
      return c.json(
        commands.map(({ id, type, params }) => ({ id, type, params })),
        200,
      );
    },
  ),

  endpoint(
    { ...calls, audit: "agent.command_answered", ids: { params: { id: "command" } } },
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

  endpoint(
    { ...calls, ids: { params: { id: "monitor:assigned" } } },
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
    calls,
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
