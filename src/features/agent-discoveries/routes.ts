import { createRoute, z } from "@hono/zod-openapi";
import { AgentDiscovery, DiscoveryMonitor } from "../../contract/discovery.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentDiscovery } from "../agents/present-discovery.ts";
import { presentMonitor } from "../monitors/present.ts";
import { MonitorBody } from "../monitors/schemas.ts";
import { listDiscoveries, watchDiscovery } from "./service.ts";

const tags = ["Agents"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const AgentParam = z.object({ agent_id: z.uuid() });

export const endpoints = [
  endpoint(
    { ...shared, permission: null, audit: null, ids: { params: { agent_id: "agent:see" } } },
    createRoute({
      method: "get",
      path: "/agents/{agent_id}/discoveries",
      tags,
      summary: "List the services found on an agent's host",
      description:
        "What listens on the host and which containers run there, as of the last 24 hours; the agent looks each hour and on the command `discover`.",
      request: { params: AgentParam, query: ListQuery },
      responses: { 200: json("The discoveries, newest first", z.array(AgentDiscovery)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total, monitors } = await listDiscoveries(c.var.ctx, c.req.valid("param").agent_id, page);
      setListHeaders(c, page, total);
      return c.json(
        rows.map((report) => presentDiscovery(report, monitors)),
        200,
      );
    },
  ),

  endpoint(
    {
      ...shared,
      permission: "monitors.write",
      audit: "monitor.created",
      ids: {
        params: { agent_id: "agent:use", discovery_id: "discovery:see" },
        body: { status_page_id: "page", group_id: "group" },
      },
    },
    createRoute({
      method: "post",
      path: "/agents/{agent_id}/discoveries/{discovery_id}/monitor",
      tags,
      summary: "Create a monitor for a discovered service",
      description:
        "The agent that found the service checks it. Name, type, target and status page come from the discovery and its agent where the body leaves them out. 409 when a monitor of the agent already watches it.",
      request: { params: AgentParam.extend({ discovery_id: z.uuid() }), body: jsonBody(DiscoveryMonitor) },
      responses: { 201: json("The monitor", MonitorBody), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const created = await watchDiscovery(c.var.ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentMonitor(created, c.var.now), 201);
    },
  ),
];
