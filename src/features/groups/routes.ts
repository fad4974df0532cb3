import { createRoute } from "@hono/zod-openapi";
import { GROUP_BODIES, GroupOrder } from "../../contract/group.ts";
import { OrderResult } from "../../contract/monitor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, USER_ERRORS } from "../../http/responses.ts";
import { endpointsOf } from "../../resource/endpoints.ts";
import { GROUP, groupVerbs, orderGroups } from "./service.ts";

export const endpoints = [
  // Before the address with an id, which `order` would be taken for.
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      rate: "api",
      permission: "monitors.write",
      audit: "group.ordered",
      ids: { body: { status_page_id: "page", "groups[].id": "group" } },
    },
    createRoute({
      method: "put",
      path: "/groups/order",
      tags: ["Groups"],
      summary: "Set the order of a page's groups",
      request: { body: jsonBody(GroupOrder) },
      responses: { 200: json("Number of placed entries", OrderResult), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ updated: await orderGroups(c.var.ctx, c.req.valid("json")) }, 200),
  ),
  ...endpointsOf(groupVerbs, {
    ...GROUP,
    ...GROUP_BODIES,
    at: ["v1"],
    tag: "Groups",
    path: "/groups",
    plural: "groups",
    a_noun: "a group",
    permission: "monitors.write",
    id_kind: "group",
    order: "in their order",
    notes: {
      creation: "It is placed last on its page.",
      deletion: "Its monitors stay on the page, without a group.",
    },
  }),
];
