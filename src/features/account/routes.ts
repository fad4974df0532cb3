import { createRoute, z } from "@hono/zod-openapi";
import { expiredCookie } from "../../access/sessions.ts";
import { AccountDeletion, AccountExport, BillingStatus, TierInfo } from "../../contract/account.ts";
import { CreatedToken, Token, TokenCreate, TokenRotate } from "../../contract/token.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { deleteAccount } from "./deletion.ts";
import { exportAccount } from "./export.ts";
import { presentBilling, presentTier, presentToken } from "./present.ts";
import { countMyUsage, createToken, listMyTokens, revokeToken, rotateMyToken } from "./service.ts";

const tags = ["Account"];

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/user/api-tokens",
      tags,
      summary: "List your API tokens",
      description: "Secrets are never returned.",
      request: { query: ListQuery },
      responses: { 200: json("Your tokens, newest first", z.array(Token)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMyTokens(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentToken), 200);
    },
  ),

  endpoint(
    {
      at: ["core"],
      auth: "user",
      permission: null,
      audit: "token.created",
      rate: "api",
      ids: { body: { "status_page_ids[]": "page:see" } },
    },
    createRoute({
      method: "post",
      path: "/user/api-tokens",
      tags,
      summary: "Create an API token",
      description:
        "The token is shown in this answer only; a SHA-256 hash of it is stored. It never has more rights than you have when it is used; `scopes`, `status_page_ids` and `allowed_networks` give it less. What it may not do is 403, what is on none of its pages is 404.",
      request: { body: jsonBody(TokenCreate) },
      responses: { 201: json("The token", CreatedToken), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { record, token } = await createToken(c.var.ctx, c.req.valid("json"));
      return c.json({ ...presentToken(record), token }, 201);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "token.rotated", rate: "api" },
    createRoute({
      method: "post",
      path: "/user/api-tokens/{id}/rotate",
      tags,
      summary: "Give an API token a new secret",
      description:
        "Name, limits and end stay. The secret before is accepted for `overlap_hours` more, at most a week; `former_used_at` says whether somebody still presents it. One that was rotated away earlier ends at once.",
      request: { params: IdParam, body: jsonBody(TokenRotate) },
      responses: { 200: json("The token", CreatedToken), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { record, token } = await rotateMyToken(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json({ ...presentToken(record), token }, 200);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "token.revoked", rate: "api" },
    createRoute({
      method: "delete",
      path: "/user/api-tokens/{id}",
      tags,
      summary: "Revoke an API token at once",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await revokeToken(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/billing/status",
      tags,
      summary: "Get your plan and its usage",
      responses: { 200: json("The plan", BillingStatus), ...USER_ERRORS },
    }),
    async (c) => c.json(presentBilling(await countMyUsage(c.var.ctx)), 200),
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/uptime/tier-info",
      tags,
      summary: "Get the limits and features of your plan",
      responses: { 200: json("The tier", TierInfo), ...USER_ERRORS },
    }),
    async (c) => c.json(presentTier(await countMyUsage(c.var.ctx)), 200),
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "heavy", token: "whole" },
    createRoute({
      method: "get",
      path: "/user/export",
      tags,
      summary: "Export your account",
      description:
        "Everything that you own, as one JSON document in the shapes of the API, with the secrets that you may read there. `truncated` names lists with more than 10,000 entries, which the API gives in full.",
      responses: { 200: json("The account, as an attachment", AccountExport), ...USER_ERRORS },
    }),
    async (c) => {
      c.header("Content-Disposition", 'attachment; filename="account.json"');
      c.header("Cache-Control", "no-store");
      return c.json(await exportAccount(c.var.ctx), 200);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "account.deleted", rate: "sign_in" },
    createRoute({
      method: "delete",
      path: "/user",
      tags,
      summary: "Delete your account",
      description:
        "With everything that it owns: status pages, monitors and their history, agents, webhooks, tokens. It cannot be undone; export it before. Takes the password and, with two-factor sign-in, a code, or a passkey alone; 409 for an account with neither. In audit logs of other accounts the name is replaced.",
      request: { body: jsonBody(AccountDeletion) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await deleteAccount(c.var.ctx, c.req.valid("json"));
      c.header("Set-Cookie", expiredCookie(c.var.publicUrl));
      return c.body(null, 204);
    },
  ),
];
