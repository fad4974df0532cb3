import { createRoute } from "@hono/zod-openapi";
import { endpoint } from "../../http/endpoint.ts";
import { noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { removeDemonstration } from "./service.ts";

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "demonstration.removed", rate: "heavy", token: "whole" },
    createRoute({
      method: "delete",
      path: "/demonstration",
      tags: ["Service"],
      summary: "Remove the demonstration",
      description:
        "Everything that `npm start -- --demo` made, and what people added to its status pages. For operators; 403 for all other accounts, 404 where there is none.",
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeDemonstration(c.var.ctx);
      return c.body(null, 204);
    },
  ),
];
