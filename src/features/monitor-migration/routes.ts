import { createRoute } from "@hono/zod-openapi";
import { MigrationRequest, MigrationResult } from "../../contract/monitor-migration.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { migrateMonitors } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.migrate",
      audit: "monitor.migrated",
      rate: "api",
      ids: {
        params: { id: "page" },
        body: { target_status_page_id: "page:manage", "monitor_ids[]": "monitor" },
      },
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/monitors/migrate",
      tags: ["Status pages"],
      summary: "Move monitors to another status page",
      description:
        "For admins of both pages; any other target page is 403, whether it exists or not. Composites move with their child monitors; a child monitor alone leaves its composite. Groups, targets of maintenance windows and rules stay behind. The plan of the target page's owner applies.",
      request: { params: IdParam, body: jsonBody(MigrationRequest) },
      responses: {
        200: json("What moved, and what was left behind", MigrationResult),
        ...OBJECT_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => c.json(await migrateMonitors(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
  ),
];
