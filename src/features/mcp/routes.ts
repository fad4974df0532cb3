import { createRoute, z } from "@hono/zod-openapi";
import { requireUser } from "../../access/principal.ts";
import { unauthenticated } from "../../contract/errors.ts";
import { BODY_BYTES_MAX, parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, USER_ERRORS } from "../../http/responses.ts";
import { answerMessage } from "./server.ts";
import type { ToolCall } from "./tools.ts";

const Message = z.record(z.string(), z.unknown());

export const endpoints = [
  endpoint(
    {
      at: ["root"],
      auth: "user",
      permission: null,
      audit: null,
      rate: "api",
      ownBody: { "application/json": { schema: Message } },
    },
    createRoute({
      method: "post",
      path: "/mcp",
      tags: ["Account"],
      summary: "Model Context Protocol",
      description:
        "Streamable HTTP of the Model Context Protocol, for assistants: one JSON-RPC message a request, answered as JSON. The credential is an API token; its scopes and pages limit what the tools reach. With `?writes=true` tools that change something are offered as well.",
      request: { query: z.object({ writes: z.enum(["true", "false"]).default("false") }) },
      responses: {
        200: json("The answer to a request", Message),
        202: { description: "A notification was taken" },
        ...USER_ERRORS,
        413: BODY_ERRORS[413],
        415: BODY_ERRORS[415],
      },
    }),
    async (c) => {
      // A page of another site could send the cookie of a session, but no token.
      if (requireUser(c.var.ctx).token_id === null) throw unauthenticated();
      const bytes = await readRequestBody(c.req.raw, BODY_BYTES_MAX);
      const answer = await answerMessage({
        body: parseJsonBody(c.req.header("content-type") ?? null, bytes),
        version: c.req.header("mcp-protocol-version"),
        hasWrites: c.req.valid("query").writes === "true",
        send: (call) => sendAsCaller(c, call),
      });
      return answer === null ? c.body(null, 202) : c.json(answer, 200);
    },
  ),
];

/** What the endpoint judges a request by, besides its address and body. */
const FORWARDED = ["authorization", "cf-connecting-ip", "user-agent"];

function sendAsCaller(c: AppContext, { method, path, query, body }: ToolCall): Promise<Response> {
  const headers = new Headers();
  for (const name of FORWARDED) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  const url = new URL(path, c.req.url);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return c.var.dispatch(
    new Request(url, { method, headers, cf: c.req.raw.cf, body: body === undefined ? null : JSON.stringify(body) }),
  );
}
