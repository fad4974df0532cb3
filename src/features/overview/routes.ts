import { createRoute } from "@hono/zod-openapi";
import { Overview } from "../../contract/overview.ts";
import { endpoint } from "../../http/endpoint.ts";
import { json, USER_ERRORS } from "../../http/responses.ts";
import { presentOverview } from "./present.ts";
import { getOverview } from "./service.ts";

export const endpoints = [
  endpoint(
    { at: ["core", "v1"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/overview",
      tags: ["Account"],
      summary: "Get the overview of your monitors and incidents",
      responses: { 200: json("The overview", Overview), ...USER_ERRORS },
    }),
    async (c) => c.json(presentOverview(await getOverview(c.var.ctx)), 200),
  ),
];
