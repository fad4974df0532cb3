import { createRoute, z } from "@hono/zod-openapi";
import { Subscriber } from "../../contract/subscriber.ts";
import { endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { IdParam, json, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentSubscriber } from "./present.ts";
import { listMySubscribers, removeSubscriber } from "./service.ts";

const tags = ["Subscribers"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;

export const endpoints = [
  endpoint(
    { ...shared, permission: "page.read", audit: null, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/subscribers",
      tags,
      summary: "List subscribers",
      description: "Of one status page, or of all that you see. Addresses are masked.",
      request: { query: LongListQuery.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The subscribers, newest first", z.array(Subscriber)), ...USER_ERRORS },
    }),
    async (c) => {
      const { status_page_id, ...page } = c.req.valid("query");
      const { rows, total } = await listMySubscribers(c.var.ctx, status_page_id, page);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ created_at, id }) => [created_at, id]),
      );
      return c.json(rows.map(presentSubscriber), 200);
    },
  ),

  endpoint(
    { ...shared, permission: "page.write", audit: "subscriber.deleted", ids: { params: { id: "subscriber" } } },
    createRoute({
      method: "delete",
      path: "/subscribers/{id}",
      tags,
      summary: "Delete a subscriber",
      description: "Deletes all data of the subscriber; the address can subscribe again.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeSubscriber(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
