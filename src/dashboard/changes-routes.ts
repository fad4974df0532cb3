import { viewerOf } from "../access/pages.ts";
import { readNewestChange } from "../data/changes/read.ts";
import { endpoint } from "../http/endpoint.ts";
import { document, PUBLIC_ERRORS } from "../http/responses.ts";
import { sha256Hex } from "../platform/credentials.ts";

export const endpoints = [
  endpoint(
    { at: ["root"], auth: "user", permission: null, audit: null, rate: "api" },
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
];
