import { createRoute } from "@hono/zod-openapi";
import { Health } from "../../contract/account.ts";
import { endpoint } from "../../http/endpoint.ts";
import { json, PUBLIC_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { VERSION } from "../../platform/version.ts";
import { WORKER_VERSION_HEADER } from "../../platform/worker-version.ts";
import { examineHealth } from "./service.ts";

export const endpoints = [
  endpoint(
    { at: ["root", "core", "v1"], auth: "public", permission: null, audit: null, rate: "public" },
    createRoute({
      method: "get",
      path: "/health",
      tags: ["Service"],
      summary: "Get service health",
      description: "503 when the database is not reachable.",
      responses: {
        200: json("Well, or degraded", Health),
        ...PUBLIC_ERRORS,
        503: json("Database unreachable", Health),
      },
    }),
    async (c) => {
      const report = await examineHealth(c.var.ctx);
      const body = {
        status: report.status,
        version: VERSION,
        checks: report.checks,
        scheduler: { last_tick_age_s: report.last_tick_age_s },
        queues: report.queues,
        time: toIso(c.var.now),
      };
      c.header(WORKER_VERSION_HEADER, c.env.WORKER_VERSION.id);
      return report.checks.database === "ok" ? c.json(body, 200) : c.json(body, 503);
    },
  ),
];
