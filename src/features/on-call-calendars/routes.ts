import { createRoute, z } from "@hono/zod-openapi";
import { CalendarAddress } from "../../contract/on-call.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import {
  BODY_ERRORS,
  document,
  IdParam,
  json,
  noContent,
  OBJECT_ERRORS,
  PUBLIC_ERRORS,
  USER_ERRORS,
} from "../../http/responses.ts";
import {
  createMyCalendar,
  createScheduleCalendar,
  renderOnCallCalendar,
  revokeMyCalendar,
  revokeScheduleCalendar,
} from "./service.ts";

const tags = ["On-call"];
const shared = { auth: "user", permission: null } as const;
const ofSchedule = {
  ...shared,
  at: ["v1"],
  ids: { params: { id: "page:see", schedule_id: "on-call schedule" } },
} as const satisfies Partial<EndpointPolicy>;
const ofUser = { ...shared, at: ["core"] } as const satisfies Partial<EndpointPolicy>;
const created = { audit: "calendar_feed.created", rate: "token_creation" } as const;
const revoked = { audit: "calendar_feed.deleted", rate: "api" } as const;
const ScheduleParams = IdParam.extend({ schedule_id: z.uuid() });
const description =
  "The address is a secret that any calendar program can subscribe to. A new one replaces the one that you had before.";

export const endpoints = [
  endpoint(
    { ...ofSchedule, ...created },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/on-call/schedules/{schedule_id}/calendar",
      tags,
      summary: "Create your address of a schedule's calendar",
      description,
      request: { params: ScheduleParams },
      responses: { 201: json("The address", CalendarAddress), ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json({ url: await createScheduleCalendar(c.var.ctx, c.req.valid("param")) }, 201),
  ),

  endpoint(
    { ...ofSchedule, ...revoked },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/on-call/schedules/{schedule_id}/calendar",
      tags,
      summary: "Revoke your address of a schedule's calendar",
      request: { params: ScheduleParams },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await revokeScheduleCalendar(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...ofUser, ...created },
    createRoute({
      method: "post",
      path: "/user/on-call-calendar",
      tags,
      summary: "Create the address of the calendar of all your shifts",
      description,
      responses: { 201: json("The address", CalendarAddress), ...USER_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json({ url: await createMyCalendar(c.var.ctx) }, 201),
  ),

  endpoint(
    { ...ofUser, ...revoked },
    createRoute({
      method: "delete",
      path: "/user/on-call-calendar",
      tags,
      summary: "Revoke the address of the calendar of your shifts",
      responses: { ...noContent, ...USER_ERRORS },
    }),
    async (c) => {
      await revokeMyCalendar(c.var.ctx);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "click" },
    createRoute({
      method: "get",
      path: "/calendar/{token}",
      tags,
      summary: "On-call calendar of a secret address",
      description: "Shifts of the last 30 and the next 90 days as iCalendar.",
      request: { params: z.object({ token: z.string().max(200) }) },
      responses: {
        200: document("The calendar", "text/calendar"),
        ...PUBLIC_ERRORS,
        404: PUBLIC_ERRORS[400],
      },
    }),
    async (c) => {
      const text = await renderOnCallCalendar(c.var.ctx, c.req.valid("param").token);
      return c.body(text, 200, {
        "Content-Type": "text/calendar; charset=utf-8",
        "Cache-Control": "private, max-age=300",
      });
    },
  ),
];
