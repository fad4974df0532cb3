import { createRoute, z } from "@hono/zod-openapi";
import { Deactivated, DeactivatedAccount, Deactivation } from "../../contract/deactivation.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentDeactivated } from "./present.ts";
import { deactivateAccount, listDeactivatedAccounts, reactivateAccount } from "./service.ts";

const tags = ["Service"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "heavy", token: "whole" } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null },
    createRoute({
      method: "get",
      path: "/deactivated-accounts",
      tags,
      summary: "List the accounts that operators deactivated",
      description: "For operators; 403 for all other accounts.",
      request: { query: ListQuery },
      responses: { 200: json("The last one first", z.array(DeactivatedAccount)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listDeactivatedAccounts(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentDeactivated), 200);
    },
  ),

  endpoint(
    { ...shared, audit: "account.deactivated" },
    createRoute({
      method: "post",
      path: "/deactivated-accounts",
      tags,
      summary: "Deactivate an account",
      description:
        "Its sessions, tokens, memberships, duty on call and contacts end at once, and nobody signs in to it. What it owns goes on. For operators; 403 for all other accounts.",
      request: { body: jsonBody(Deactivation) },
      responses: { 201: json("The account", Deactivated), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { user, notices } = await deactivateAccount(c.var.ctx, c.req.valid("json").email);
      return c.json({ ...presentDeactivated(user), notices }, 201);
    },
  ),

  endpoint(
    { ...shared, audit: "account.reactivated" },
    createRoute({
      method: "delete",
      path: "/deactivated-accounts/{id}",
      tags,
      summary: "Let the holder of a deactivated account sign in again",
      description: "Memberships, tokens and contacts do not come back. For operators; 403 for all other accounts.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await reactivateAccount(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
