import { createRoute, z } from "@hono/zod-openapi";
import { SavedView, SavedViewCreate } from "../../contract/saved-view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { listMyViews, presentView, removeView, saveView } from "./service.ts";

const tags = ["Account"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null, token: "account" },
    createRoute({
      method: "get",
      path: "/user/views",
      tags,
      summary: "List your saved views",
      responses: { 200: json("Your saved views, by name", z.array(SavedView)), ...USER_ERRORS },
    }),
    async (c) => c.json((await listMyViews(c.var.ctx)).map(presentView), 200),
  ),

  endpoint(
    { ...shared, audit: "saved_view.saved" },
    createRoute({
      method: "post",
      path: "/user/views",
      tags,
      summary: "Save a view",
      description: "A list of the dashboard with filter and order. One of the same name is replaced.",
      request: { body: jsonBody(SavedViewCreate) },
      responses: {
        200: json("The view of that name, which shows something else now", SavedView),
        201: json("The new view", SavedView),
        ...USER_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const { view, isNew } = await saveView(c.var.ctx, c.req.valid("json"));
      return c.json(presentView(view), isNew ? 201 : 200);
    },
  ),

  endpoint(
    { ...shared, audit: "saved_view.deleted" },
    createRoute({
      method: "delete",
      path: "/user/views/{id}",
      tags,
      summary: "Remove a saved view",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeView(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
