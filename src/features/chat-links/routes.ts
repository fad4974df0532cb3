import { createRoute, z } from "@hono/zod-openapi";
import { CHAT_SERVICES, ChatLinkToken, type ChatService, StatusChannel } from "../../contract/chat-link.ts";
import { type Endpoint, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentLinkToken, presentStatusChannel } from "./present.ts";
import { createLinkToken, listChannels, unlinkChannel } from "./service.ts";

const tags = ["Chat links"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const ofPage = { ids: { params: { id: "page" } } } as const satisfies Partial<EndpointPolicy>;
const ofChannel = { ids: { params: { id: "status channel" } } } as const satisfies Partial<EndpointPolicy>;
const NAMES: Record<ChatService, string> = { discord: "Discord", telegram: "Telegram" };

/** The same three addresses for each chat service. */
function endpointsOf(service: ChatService): Endpoint[] {
  const name = NAMES[service];
  return [
    endpoint(
      {
        ...shared,
        ...ofPage,
        permission: "alerting.write",
        audit: "chat_link.created",
        rate: "token_creation",
        // The chat acts for its user from then on, regardless of the limits of the API token.
        token: "whole",
      },
      createRoute({
        method: "post",
        path: `/status-pages/{id}/${service}/token`,
        tags,
        summary: `Create a token that links a ${name} channel`,
        description: "Valid for 15 minutes and once: the command link of the bot redeems it in the channel.",
        request: { params: IdParam },
        responses: { 201: json("The token", ChatLinkToken), ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
      }),
      async (c) => {
        const { ctx } = c.var;
        const created = await createLinkToken(ctx, c.req.valid("param").id, service);
        return c.json(presentLinkToken(created, service, ctx.settings), 201);
      },
    ),

    endpoint(
      { ...shared, ...ofPage, permission: null, audit: null },
      createRoute({
        method: "get",
        path: `/status-pages/{id}/${service}/status-channels`,
        tags,
        summary: `List the ${name} channels that show a status page`,
        request: { params: IdParam, query: ListQuery },
        responses: { 200: json("The channels", z.array(StatusChannel)), ...OBJECT_ERRORS },
      }),
      async (c) => {
        const pagination = c.req.valid("query");
        const { rows, total } = await listChannels(
          c.var.ctx,
          { page_id: c.req.valid("param").id, service },
          pagination,
        );
        setListHeaders(c, pagination, total);
        return c.json(rows.map(presentStatusChannel), 200);
      },
    ),

    endpoint(
      { ...shared, ...ofChannel, permission: "alerting.write", audit: "chat_link.deleted" },
      createRoute({
        method: "delete",
        path: `/${service}/status-channels/{id}`,
        tags,
        summary: `Unlink a ${name} channel`,
        description: "The bot leaves its messages as they are.",
        request: { params: IdParam },
        responses: { ...noContent, ...OBJECT_ERRORS },
      }),
      async (c) => {
        await unlinkChannel(c.var.ctx, c.req.valid("param").id, service);
        return c.body(null, 204);
      },
    ),
  ];
}

export const endpoints = CHAT_SERVICES.flatMap(endpointsOf);
