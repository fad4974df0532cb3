import { createRoute, z } from "@hono/zod-openapi";
import { AlertAnswered, JiraWebhook, PagerDutyWebhook } from "../../contract/alert-answer.ts";
import { parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { parseInput } from "../../http/errors.ts";
import { BODY_ERRORS, json, USER_ERRORS } from "../../http/responses.ts";
import { readJira, readPagerDuty, requireJira, requirePagerDuty } from "./service.ts";

/** What services that keep alerts send: the signature or the secret header is the credential. */
const tags = ["Webhooks"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  audit: "alert.answered",
  rate: "public",
} as const satisfies EndpointPolicy;
const BYTES_MAX = 256 * 1024;
const params = z.object({ channel: z.uuid() });
const responses = {
  200: json("What came of it", AlertAnswered),
  ...USER_ERRORS,
  409: BODY_ERRORS[409],
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
};

const parse = <Schema extends z.ZodType>(c: AppContext, schema: Schema, bytes: Uint8Array) =>
  parseInput(schema, parseJsonBody(c.req.header("content-type") ?? null, bytes));

export const endpoints = [
  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/pagerduty/{channel}",
      tags,
      summary: "Webhook of PagerDuty",
      description:
        "Version 3, signed by the secret that the channel knows; anything else is 401. An acknowledgement there acknowledges here, a resolution is noted.",
      request: { params },
      responses,
    }),
    async (c) => {
      const { ctx } = c.var;
      const body = await readRequestBody(c.req.raw, BYTES_MAX);
      const signatures = c.req.header("x-pagerduty-signature") ?? "";
      const webhook = await requirePagerDuty(ctx, c.req.valid("param").channel, { signatures, body });
      return c.json(await readPagerDuty(ctx, webhook, parse(c, PagerDutyWebhook, body)), 200);
    },
  ),

  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/jira/{channel}",
      tags,
      summary: "Webhook of Jira Service Management, or Opsgenie",
      description:
        "With the token that the channel knows in X-Webhook-Token; anything else is 401. An acknowledgement there acknowledges here, a close is noted.",
      request: { params },
      responses,
    }),
    async (c) => {
      const { ctx } = c.var;
      const webhook = await requireJira(ctx, c.req.valid("param").channel, c.req.header("x-webhook-token") ?? "");
      const bytes = await readRequestBody(c.req.raw, BYTES_MAX);
      return c.json(await readJira(ctx, webhook, { body: parse(c, JiraWebhook, bytes), bytes }), 200);
    },
  ),
];
