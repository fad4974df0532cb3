import { createRoute, z } from "@hono/zod-openapi";
import { Notification, NotificationChange, NotificationsRead } from "../../contract/notification.ts";
import { endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentNotification } from "./present.ts";
import { changeNotification, listMyNotifications, readNotifications } from "./service.ts";

const tags = ["Account"];
const shared = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null, token: "account" },
    createRoute({
      method: "get",
      path: "/notifications",
      tags,
      summary: "List your notifications",
      request: { query: LongListQuery },
      responses: { 200: json("Your notifications, newest first", z.array(Notification)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMyNotifications(c.var.ctx, page);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ created_at, id }) => [created_at, id]),
      );
      return c.json(rows.map(presentNotification), 200);
    },
  ),

  endpoint(
    { ...shared, audit: "notification.read" },
    createRoute({
      method: "post",
      path: "/notifications/read",
      tags,
      summary: "Mark all your notifications as read",
      description: "Those that came until an instant, so that one which nobody has looked at stays unread.",
      request: { body: jsonBody(NotificationsRead) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await readNotifications(c.var.ctx, c.req.valid("json"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...shared, audit: "notification.updated" },
    createRoute({
      method: "patch",
      path: "/notifications/{id}",
      tags,
      summary: "Mark a notification as read or unread",
      request: { params: IdParam, body: jsonBody(NotificationChange) },
      responses: { 200: json("The notification", Notification), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const changed = await changeNotification(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentNotification(changed), 200);
    },
  ),
];
