import { createRoute } from "@hono/zod-openapi";
import { SessionPolicy, SessionPolicyChange } from "../../contract/session-policy.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, USER_ERRORS } from "../../http/responses.ts";
import { presentPolicy } from "./present.ts";
import { changePolicy, getPolicy } from "./service.ts";

const tags = ["Service"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "api", token: "whole" } as const;
const path = "/session-policy";

export const endpoints = [
  endpoint(
    { ...shared, audit: null },
    createRoute({
      method: "get",
      path,
      tags,
      summary: "Get what sessions of the service are asked",
      description: "For operators; 403 for all other accounts.",
      responses: { 200: json("The policy that holds", SessionPolicy), ...USER_ERRORS },
    }),
    async (c) => c.json(presentPolicy(await getPolicy(c.var.ctx)), 200),
  ),

  endpoint(
    { ...shared, audit: "session_policy.changed" },
    createRoute({
      method: "patch",
      path,
      tags,
      summary: "Change what sessions of the service are asked",
      description:
        "Holds for sessions that are open already, and at once. What a variable of the service sets is 409. For operators; 403 for all other accounts.",
      request: { body: jsonBody(SessionPolicyChange) },
      responses: { 200: json("The policy that holds now", SessionPolicy), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentPolicy(await changePolicy(c.var.ctx, c.req.valid("json"))), 200),
  ),
];
