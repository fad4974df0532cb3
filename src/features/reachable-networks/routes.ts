import { createRoute } from "@hono/zod-openapi";
import { ReachableNetworks, ReachableNetworksChange } from "../../contract/reachable-networks.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, USER_ERRORS } from "../../http/responses.ts";
import { changeReachableNetworks, getReachableNetworks } from "./service.ts";

const tags = ["Service"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "api", token: "whole" } as const;
const path = "/reachable-networks";

export const endpoints = [
  endpoint(
    { ...shared, audit: null },
    createRoute({
      method: "get",
      path,
      tags,
      summary: "Get which networks that are not public are reached",
      description: "By checks and deliveries. For operators; 403 for all other accounts.",
      responses: { 200: json("The networks", ReachableNetworks), ...USER_ERRORS },
    }),
    async (c) => c.json(await getReachableNetworks(c.var.ctx), 200),
  ),

  endpoint(
    { ...shared, audit: "reachable_networks.changed" },
    createRoute({
      method: "put",
      path,
      tags,
      summary: "Change which networks that are not public are reached",
      description:
        "At once. Networks are added only while nothing but this machine reaches the service and it has one account, else 409; none counts after that. For operators; 403 for all other accounts.",
      request: { body: jsonBody(ReachableNetworksChange) },
      responses: { 200: json("The networks from now on", ReachableNetworks), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await changeReachableNetworks(c.var.ctx, c.req.valid("json")), 200),
  ),
];
