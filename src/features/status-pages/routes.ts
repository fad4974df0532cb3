import { createRoute, z } from "@hono/zod-openapi";
import {
  SharedPage,
  SlugAvailability,
  StatusPage,
  StatusPageCreate,
  StatusPageUpdate,
} from "../../contract/status-page.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { listPagesSharedWithMe } from "../members/service.ts";
import { presentPage, presentSharedPage } from "./present.ts";
import {
  createPage,
  deleteStatusPage,
  getPage,
  isSlugAvailable,
  listMyPages,
  requireRoomForPage,
  updateStatusPage,
} from "./service.ts";

const tags = ["Status pages"];

/** What has a name comes before the addresses with an id, which would take the name for one. */
export const endpoints = [
  endpoint(
    { at: ["v1"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/status-pages/check-slug",
      tags,
      summary: "Check whether a slug is available",
      description: "False for slugs that are taken, reserved or malformed.",
      request: { query: z.object({ slug: z.string() }) },
      responses: { 200: json("Whether the slug is available", SlugAvailability), ...USER_ERRORS },
    }),
    async (c) => c.json({ available: await isSlugAvailable(c.var.ctx, c.req.valid("query").slug) }, 200),
  ),

  endpoint(
    { at: ["v1"], auth: "user", permission: null, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/status-pages/member-of",
      tags,
      summary: "List the status pages that you are a member of",
      request: { query: ListQuery },
      responses: { 200: json("The pages, with your role on each", z.array(SharedPage)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { views, total } = await listPagesSharedWithMe(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(views.map(presentSharedPage), 200);
    },
  ),

  endpoint(
    { at: ["v1"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/status-pages",
      tags,
      summary: "List the status pages that you own or are a member of",
      request: { query: LongListQuery },
      responses: { 200: json("The pages, oldest first", z.array(StatusPage)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { views, total } = await listMyPages(c.var.ctx, page);
      setListHeaders(
        c,
        page,
        total,
        views.map(({ page: { created_at, id } }) => [created_at, id]),
      );
      return c.json(views.map(presentPage), 200);
    },
  ),

  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: null,
      audit: "page.created",
      token: "page.write",
      rate: "api",
      ids: { body: { "monitors[]": "monitor" } },
      plan: requireRoomForPage,
    },
    createRoute({
      method: "post",
      path: "/status-pages",
      tags,
      summary: "Create a status page",
      description: "The page is served under /status/{slug} at once, unless is_public is false.",
      request: { body: jsonBody(StatusPageCreate) },
      responses: { 201: json("The page", StatusPage), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await createPage(c.var.ctx, c.req.valid("json"));
      return c.json(presentPage(view), 201);
    },
  ),

  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.read",
      audit: null,
      rate: "api",
      ids: { params: { id: "page" } },
    },
    createRoute({
      method: "get",
      path: "/status-pages/{id}",
      tags,
      summary: "Get a status page",
      request: { params: IdParam },
      responses: { 200: json("The page", StatusPage), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const view = await getPage(c.var.ctx, c.req.valid("param").id);
      return c.json(presentPage(view), 200);
    },
  ),

  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.write",
      audit: "page.updated",
      rate: "api",
      ids: { params: { id: "page" }, body: { "monitors[]": "monitor" } },
    },
    createRoute({
      method: "put",
      path: "/status-pages/{id}",
      tags,
      summary: "Update a status page",
      description: "Omitted fields keep their value; null restores the default.",
      request: { params: IdParam, body: jsonBody(StatusPageUpdate) },
      responses: { 200: json("The page", StatusPage), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await updateStatusPage(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentPage(view), 200);
    },
  ),

  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.delete",
      audit: "page.deleted",
      rate: "api",
      ids: { params: { id: "page" } },
    },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}",
      tags,
      summary: "Delete a status page",
      description: "Its incidents go with it; its monitors stay, without a page. Only the owner may do this.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await deleteStatusPage(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
