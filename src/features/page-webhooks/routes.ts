import { createRoute, z } from "@hono/zod-openapi";
import { NAMED_TARGETS } from "../../access/alert-targets.ts";
import { EventFilterName } from "../../contract/events.ts";
import {
  DELIVERY_STATES,
  Delivery,
  DeliveryAttempt,
  PageWebhookCreate,
  PageWebhookUpdate,
  Webhook,
  WebhookTestResult,
} from "../../contract/webhook.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentAttempt, presentDelivery, presentTest, presentWebhook } from "../webhooks/present.ts";
import {
  changeWebhook,
  createWebhook,
  getIdOnPage,
  listWebhookAttempts,
  listWebhooks,
  redeliver,
  removeWebhook,
  testWebhook,
} from "../webhooks/service.ts";

/** The webhooks of one page under the address of its alert setup; the body does not name the page. */
const tags = ["Webhooks"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;

const OnPage = z.object({ status_page_id: z.uuid(), id: z.uuid() });
const ON_PAGE = "/status-pages/{status_page_id}/alert-setup/{id}";
const onPage = { status_page_id: "page", id: "webhook" } as const;
const changesOnPage = (audit: string | null) =>
  ({ ...shared, permission: "alerting.write", audit, ids: { params: onPage } }) satisfies EndpointPolicy;

export const endpoints = [
  endpoint(
    { ...shared, permission: null, audit: null, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/alert-setup",
      tags,
      summary: "List the webhooks of a status page",
      request: { params: IdParam, query: LongListQuery },
      responses: { 200: json("Its webhooks, newest first", z.array(Webhook)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listWebhooks(c.var.ctx, c.req.valid("param").id, page);
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
      ids: { params: { id: "page" }, body: NAMED_TARGETS },
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/alert-setup",
      tags,
      summary: "Create a webhook of a status page",
      request: { params: IdParam, body: jsonBody(PageWebhookCreate) },
      responses: { 201: json("The webhook", Webhook), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const input = { ...c.req.valid("json"), status_page_id: c.req.valid("param").id };
      return c.json(presentWebhook(await createWebhook(c.var.ctx, input)), 201);
    },
  ),

  endpoint(
    { ...changesOnPage("webhook.updated"), ids: { params: onPage, body: NAMED_TARGETS } },
    createRoute({
      method: "put",
      path: ON_PAGE,
      tags,
      summary: "Update a webhook of a status page",
      request: { params: OnPage, body: jsonBody(PageWebhookUpdate) },
      responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const id = await getIdOnPage(c.var.ctx, c.req.valid("param"));
      return c.json(presentWebhook(await changeWebhook(c.var.ctx, id, c.req.valid("json"))), 200);
    },
  ),

  endpoint(
    changesOnPage("webhook.deleted"),
    createRoute({
      method: "delete",
      path: ON_PAGE,
      tags,
      summary: "Delete a webhook of a status page and its deliveries",
      request: { params: OnPage },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeWebhook(c.var.ctx, await getIdOnPage(c.var.ctx, c.req.valid("param")));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...changesOnPage("webhook.tested"), rate: "webhook_test" },
    createRoute({
      method: "post",
      path: `${ON_PAGE}/test`,
      tags,
      summary: "Send a test event to a webhook of a status page",
      description: "One real attempt, made before the response and never retried.",
      request: { params: OnPage },
      responses: { 200: json("Result of the attempt", WebhookTestResult), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const id = await getIdOnPage(c.var.ctx, c.req.valid("param"));
      return c.json(presentTest(await testWebhook(c.var.ctx, id)), 200);
    },
  ),

  endpoint(
    changesOnPage(null),
    createRoute({
      method: "get",
      path: `${ON_PAGE}/deliveries`,
      tags,
      summary: "List delivery attempts of a webhook of a status page",
      description: "Kept for 30 days. X-Total-Count stops counting at 10,000.",
      request: {
        params: OnPage,
        query: LongListQuery.extend({ state: severalOf(z.enum(DELIVERY_STATES)), event: severalOf(EventFilterName) }),
      },
      responses: {
        200: json("Attempts, those of the newest delivery first", z.array(DeliveryAttempt)),
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const id = await getIdOnPage(c.var.ctx, c.req.valid("param"));
      const { rows, total } = await listWebhookAttempts(c.var.ctx, id, page, filter);
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
    changesOnPage("webhook.redelivered"),
    createRoute({
      method: "post",
      path: `${ON_PAGE}/deliveries/{delivery_id}/redeliver`,
      tags,
      summary: "Send a delivery to a webhook of a status page again",
      description: "Under the same webhook-id. Accepts the id of a delivery or of one of its attempts.",
      request: { params: OnPage.extend({ delivery_id: z.uuid() }) },
      responses: { 201: json("The delivery, due at once", Delivery), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { delivery_id, ...named } = c.req.valid("param");
      const id = await getIdOnPage(c.var.ctx, named);
      return c.json(presentDelivery(await redeliver(c.var.ctx, id, delivery_id)), 201);
    },
  ),
];
