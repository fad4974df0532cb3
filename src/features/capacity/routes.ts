import { createRoute } from "@hono/zod-openapi";
import { Capacity } from "../../contract/capacity.ts";
import { endpoint } from "../../http/endpoint.ts";
import { json, USER_ERRORS } from "../../http/responses.ts";
import { presentCapacity } from "./present.ts";
import { getCapacity } from "./service.ts";

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "heavy", token: "whole" },
    createRoute({
      method: "get",
      path: "/uptime/capacity",
      tags: ["Service"],
      summary: "Get the usage, cost and capacity of the installation",
      description: "For operators; 403 for all other accounts.",
      responses: { 200: json("The capacity", Capacity), ...USER_ERRORS },
    }),
    async (c) => c.json(presentCapacity(await getCapacity(c.var.ctx)), 200),
  ),
];
