import { createRoute, z } from "@hono/zod-openapi";
import { Subscriber, SubscribersInvite, SubscribersInvited } from "../../contract/subscriber.ts";
import { endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { exportSubscribers } from "./export.ts";
import { inviteSubscribers } from "./invite.ts";
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
    {
      ...shared,
      permission: "page.write",
      audit: "subscriber.invited",
      rate: "heavy",
      ids: { body: { status_page_id: "page" } },
    },
    createRoute({
      method: "post",
      path: "/subscribers",
      tags,
      summary: "Invite subscribers",
      description:
        "Each address gets a link, good for one day, by which it has to be confirmed, as if its owner had asked. What cannot be asked is in `refused`, with the reason.",
      request: { body: jsonBody(SubscribersInvite) },
      responses: { 200: json("Who was asked", SubscribersInvited), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await inviteSubscribers(c.var.ctx, c.req.valid("json")), 200),
  ),

  endpoint(
    {
      ...shared,
      permission: "page.write",
      audit: "subscriber.exported",
      rate: "heavy",
      ids: { params: { id: "page" } },
    },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/subscribers/export",
      tags,
      summary: "Export the subscribers of a status page",
      description: "With their whole addresses, the newest 10,000. The audit log keeps who did it.",
      request: { params: IdParam },
      responses: {
        200: { description: "The table, as an attachment", content: { "text/csv": { schema: z.string() } } },
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const csv = await exportSubscribers(c.var.ctx, c.req.valid("param").id);
      c.header("Content-Disposition", 'attachment; filename="subscribers.csv"');
      c.header("Content-Type", "text/csv; charset=utf-8");
      c.header("Cache-Control", "no-store");
      return c.body(csv, 200);
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
