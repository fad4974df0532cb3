import { createRoute, z } from "@hono/zod-openapi";
import { Group, GroupCreate, GroupOrder, GroupUpdate } from "../../contract/group.ts";
import { OrderResult } from "../../contract/monitor.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentGroup } from "./present.ts";
import { changeGroup, createGroup, listGroups, orderGroups, removeGroup } from "./service.ts";

const tags = ["Groups"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const writes = { ...shared, permission: "monitors.write" } as const;
const named = { params: { id: "group" } } as const;

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/groups",
      tags,
      summary: "List groups",
      description: "Those of all your status pages, or of one.",
      request: { query: LongListQuery.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The groups, in their order", z.array(Group)), ...USER_ERRORS },
    }),
    async (c) => {
      const { status_page_id, ...page } = c.req.valid("query");
      const { rows, total } = await listGroups(c.var.ctx, status_page_id, page);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ position, id }) => [position, id]),
      );
      return c.json(rows.map(presentGroup), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/groups",
      tags,
      summary: "List the groups of a status page",
      request: { params: IdParam, query: LongListQuery },
      responses: { 200: json("The groups, in their order", z.array(Group)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listGroups(c.var.ctx, c.req.valid("param").id, page);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ position, id }) => [position, id]),
      );
      return c.json(rows.map(presentGroup), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "group.created", ids: { body: { status_page_id: "page" } } },
    createRoute({
      method: "post",
      path: "/groups",
      tags,
      summary: "Create a group",
      description: "It is placed last on its page.",
      request: { body: jsonBody(GroupCreate) },
      responses: { 201: json("The group", Group), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentGroup(await createGroup(c.var.ctx, c.req.valid("json"))), 201),
  ),

  // Before the address with an id, which `order` would be taken for.
  endpoint(
    { ...writes, audit: "group.ordered", ids: { body: { status_page_id: "page", "groups[].id": "group" } } },
    createRoute({
      method: "put",
      path: "/groups/order",
      tags,
      summary: "Set the order of a page's groups",
      request: { body: jsonBody(GroupOrder) },
      responses: { 200: json("Number of placed entries", OrderResult), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ updated: await orderGroups(c.var.ctx, c.req.valid("json")) }, 200),
  ),

  endpoint(
    { ...writes, audit: "group.updated", ids: named },
    createRoute({
      method: "put",
      path: "/groups/{id}",
      tags,
      summary: "Update a group",
      request: { params: IdParam, body: jsonBody(GroupUpdate) },
      responses: { 200: json("The group", Group), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentGroup(await changeGroup(c.var.ctx, c.req.valid("param").id, c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...writes, audit: "group.deleted", ids: named },
    createRoute({
      method: "delete",
      path: "/groups/{id}",
      tags,
      summary: "Delete a group",
      description: "Its monitors stay on the page, without a group.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeGroup(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
