import { z } from "zod";
import { viewerOf } from "../access/pages.ts";
import { requireUser } from "../access/principal.ts";
import { forbidden } from "../contract/errors.ts";
import { readNewestChange } from "../data/changes/read.ts";
import { endpoint } from "../http/endpoint.ts";
import { document, PUBLIC_ERRORS } from "../http/responses.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { followAccount } from "./follow.ts";

const policy = { at: ["root"], auth: "user", permission: null, audit: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    policy,
    {
      method: "get",
      path: "/app/changes",
      tags: ["Dashboard"],
      summary: "Get the version of what the caller sees",
      description: "The script of a view loads what it shows again once this differs.",
      responses: { 200: document("Another text once something has happened", "text/plain"), ...PUBLIC_ERRORS },
    },
    async (c) => {
      const { ctx } = c.var;
      const version = sha256Hex(await readNewestChange(ctx.db, await viewerOf(ctx))).slice(0, 16);
      return new Response(version, { headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" } });
    },
  ),

  endpoint(
    policy,
    {
      method: "get",
      path: "/app/live",
      tags: ["Dashboard"],
      summary: "Follow what happens by WebSocket",
      description:
        "Sends a word, at most once a second, when something happened in the caller's account, or on the caller's part of the account that has this page. It carries nothing: the view asks. For the service's own views alone.",
      request: { query: z.object({ page: z.uuid().optional() }) },
      responses: { 101: { description: "Connected" }, ...PUBLIC_ERRORS },
    },
    async (c) => {
      const { user_id, session_id } = requireUser(c.var.ctx);
      if (session_id === null) throw forbidden("this is for signed-in browsers");
      return followAccount(c, c.var.ctx, { user_id, session_id, page: c.req.valid("query").page });
    },
  ),
];
