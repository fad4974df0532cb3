import { createRoute, z } from "@hono/zod-openapi";
import { NAMED_TARGETS } from "../../access/alert-targets.ts";
import { EventFilterName } from "../../contract/events.ts";
import {
  DELIVERY_STATES,
  Delivery,
  DeliveryAttempt,
  Provider,
  Webhook,
  WebhookCreate,
  WebhookTestResult,
  WebhookUpdate,
} from "../../contract/webhook.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { Flag, LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { listWebhookAttempts, redeliver } from "./deliveries.ts";
import { presentAttempt, presentDelivery, presentTest, presentWebhook } from "./present.ts";
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  testWebhook,
  toggleTeamOnly,
  toggleWebhook,
} from "./service.ts";

const tags = ["Webhooks"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;

const DeliveriesQuery = LongListQuery.extend({
  state: severalOf(z.enum(DELIVERY_STATES)),
  event: severalOf(EventFilterName),
});

/** Members who see the page see its webhooks; addresses and deliveries need alerting.write. */
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const writes = (audit: string | null) =>
  ({ ...shared, permission: "alerting.write", audit, ids: { params: { id: "webhook" } } }) satisfies EndpointPolicy;

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/webhooks",
      tags,
      summary: "List your webhooks",
      request: {
        query: LongListQuery.extend({
          status_page_id: z.uuid().optional(),
          provider: severalOf(Provider),
          is_active: Flag.optional(),
        }),
      },
      responses: { 200: json("Your webhooks, newest first", z.array(Webhook)), ...USER_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, status_page_id, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const { rows, total } = await listWebhooks(c.var.ctx, status_page_id, page, filter);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ webhook: { created_at, id } }) => [created_at, id]),
      );
      return c.json(rows.map(presentWebhook), 200);
    },
  ),

  endpoint(
    {
      ...shared,
      permission: "alerting.write",
      audit: "webhook.created",
      ids: { body: { status_page_id: "page", ...NAMED_TARGETS } },
    },
    createRoute({
      method: "post",
      path: "/webhooks",
      tags,
      summary: "Create a webhook",
      description:
        "Events are posted to the address, signed by Standard Webhooks if a secret is set. The address must be https on a public host.",
      request: { body: jsonBody(WebhookCreate) },
      responses: { 201: json("The webhook", Webhook), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentWebhook(await createWebhook(c.var.ctx, c.req.valid("json"))), 201),
  ),

  endpoint(
    { ...reads, ids: { params: { id: "webhook" } } },
    createRoute({
      method: "get",
      path: "/webhooks/{id}",
      tags,
      summary: "Get a webhook",
      request: { params: IdParam },
      responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentWebhook(await getWebhook(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    {
      ...writes("webhook.updated"),
      ids: { params: { id: "webhook" }, body: { status_page_id: "page", ...NAMED_TARGETS } },
    },
    createRoute({
      method: "put",
      path: "/webhooks/{id}",
      tags,
      summary: "Update a webhook",
      description:
        "Omitted fields keep their value; null clears them (or restores the default). The previous secret also signs for 24 hours.",
      request: { params: IdParam, body: jsonBody(WebhookUpdate) },
      responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const changed = await changeWebhook(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentWebhook(changed), 200);
    },
  ),

  endpoint(
    writes("webhook.deleted"),
    createRoute({
      method: "delete",
      path: "/webhooks/{id}",
      tags,
      summary: "Delete a webhook and its deliveries",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeWebhook(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    writes("webhook.toggled"),
    createRoute({
      method: "patch",
      path: "/webhooks/{id}/toggle",
      tags,
      summary: "Toggle is_active",
      request: { params: IdParam },
      responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentWebhook(await toggleWebhook(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    writes("webhook.team_only_toggled"),
    createRoute({
      method: "patch",
      path: "/webhooks/{id}/team-only",
      tags,
      summary: "Toggle is_team_only",
      request: { params: IdParam },
      responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentWebhook(await toggleTeamOnly(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...writes("webhook.tested"), rate: "webhook_test" },
    createRoute({
      method: "post",
      path: "/webhooks/{id}/test",
      tags,
      summary: "Send a test event",
      description: "One real attempt, made before the response and never retried.",
      request: { params: IdParam },
      responses: { 200: json("Result of the attempt", WebhookTestResult), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentTest(await testWebhook(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    writes(null),
    createRoute({
      method: "get",
      path: "/webhooks/{id}/deliveries",
      tags,
      summary: "List delivery attempts of a webhook",
      description: "Kept for 30 days. X-Total-Count stops counting at 10,000.",
      request: { params: IdParam, query: DeliveriesQuery },
      responses: {
        200: json("Attempts, those of the newest delivery first", z.array(DeliveryAttempt)),
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const { rows, total } = await listWebhookAttempts(c.var.ctx, c.req.valid("param").id, page, filter);
      setListHeaders(
        c,
        page,
        total,
        rows.map(({ position }) => position),
      );
      return c.json(rows.map(presentAttempt), 200);
    },
  ),

  endpoint(
    writes("webhook.redelivered"),
    createRoute({
      method: "post",
      path: "/webhooks/{id}/deliveries/{delivery_id}/redeliver",
      tags,
      summary: "Send a delivery again",
      description: "Under the same webhook-id. Accepts the id of a delivery or of one of its attempts.",
      request: { params: IdParam.extend({ delivery_id: z.uuid() }) },
      responses: { 201: json("The delivery, due at once", Delivery), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { id, delivery_id } = c.req.valid("param");
      return c.json(presentDelivery(await redeliver(c.var.ctx, id, delivery_id)), 201);
    },
  ),
];
