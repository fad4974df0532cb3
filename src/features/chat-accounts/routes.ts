import { createRoute, z } from "@hono/zod-openapi";
import { ChatAccount, ChatAccountCreate } from "../../contract/chat-account.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentChatAccount } from "./present.ts";
import { linkChatAccount, listMyChatAccounts, unlinkChatAccount } from "./service.ts";

const tags = ["Account"];
const mine = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;
const path = "/user/chat-accounts";

export const endpoints = [
  endpoint(
    { ...mine, audit: null, token: "account" },
    createRoute({
      method: "get",
      path,
      tags,
      summary: "List who acts for you in chats",
      request: { query: ListQuery },
      responses: { 200: json("The newest first", z.array(ChatAccount)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMyChatAccounts(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentChatAccount), 200);
    },
  ),

  endpoint(
    { ...mine, audit: "chat_account.linked", rate: "sign_in" },
    createRoute({
      method: "post",
      path,
      tags,
      summary: "Link a person of a chat to your account",
      description:
        "Takes the code of the link that Slack, Discord or Telegram gave this person, within 15 minutes. Buttons and commands of theirs then act with the rights that you have at that time.",
      request: { body: jsonBody(ChatAccountCreate) },
      responses: { 201: json("Who is linked", ChatAccount), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentChatAccount(await linkChatAccount(c.var.ctx, c.req.valid("json").code)), 201),
  ),

  endpoint(
    { ...mine, audit: "chat_account.unlinked" },
    createRoute({
      method: "delete",
      path: `${path}/{id}`,
      tags,
      summary: "Unlink a person of a chat",
      description: "Nothing that this person does there acts for you from then on.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await unlinkChatAccount(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
