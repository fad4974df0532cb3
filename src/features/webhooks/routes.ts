import { createRoute, z } from "@hono/zod-openapi";
import { NAMED_TARGETS } from "../../access/alert-targets.ts";
import { EventFilterName } from "../../contract/events.ts";
import {
  DELIVERY_STATES,
  Delivery,
  DeliveryAttempt,
  PageWebhookCreate,
  PageWebhookUpdate,
  Provider,
  Webhook,
  WebhookCreate,
  WebhookTestResult,
  WebhookUpdate,
} from "../../contract/webhook.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { Flag, LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { listWebhookAttempts, redeliver } from "./deliveries.ts";
import { presentAttempt, presentDelivery, presentTest, presentWebhook } from "./present.ts";
import {
  changeWebhook,
  createWebhook,
  getIdOnPage,
  getWebhook,
  listWebhooks,
  removeWebhook,
  testWebhook,
  toggleTeamOnly,
  toggleWebhook,
} from "./service.ts";

const tags = ["Webhooks"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;

const OnPage = z.object({ status_page_id: z.uuid(), id: z.uuid() });
const DeliveriesQuery = LongListQuery.extend({
  state: severalOf(z.enum(DELIVERY_STATES)),
  event: severalOf(EventFilterName),
});

/** Members who see the page see its webhooks; addresses and deliveries need alerting.write. */
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const writes = (audit: string | null) => ({ ...shared, permission: "alerting.write", audit }) satisfies EndpointPolicy;
const one = { params: { id: "webhook" } } as const;

/** One of the two addresses of a webhook: its own, or the one below its page, where bodies do not name the page. */
interface Address {
  path: string;
  /** Ends "a webhook". */
  of: string;
  /** The webhook as the receiver of what is sent. */
  to: string;
  params: typeof IdParam | typeof OnPage;
  ids: Ids["params"];
  Update: z.ZodType<WebhookUpdate>;
  updateIds: Ids["body"];
  /** Of an address below a page, 404 where the webhook stands on another one. */
  idOf(c: AppContext): string | Promise<string>;
}
type Ids = NonNullable<EndpointPolicy["ids"]>;

/** Update, deletion, test and deliveries. */
function endpointsAt(address: Address) {
  const { path, of, to, params, ids, Update, updateIds, idOf } = address;
  return [
    endpoint(
      { ...writes("webhook.updated"), ids: { params: ids, body: updateIds } },
      createRoute({
        method: "put",
        path,
        tags,
        summary: `Update a webhook${of}`,
        description:
          "Omitted fields keep their value; null clears them (or restores the default). The previous secret also signs for 24 hours.",
        request: { params, body: jsonBody(Update) },
        responses: { 200: json("The webhook", Webhook), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const changed = await changeWebhook(c.var.ctx, await idOf(c), c.req.valid("json"));
        return c.json(presentWebhook(changed), 200);
      },
    ),

    endpoint(
      { ...writes("webhook.deleted"), ids: { params: ids } },
      createRoute({
        method: "delete",
        path,
        tags,
        summary: `Delete a webhook${of} and its deliveries`,
        request: { params },
        responses: { ...noContent, ...OBJECT_ERRORS },
      }),
      async (c) => {
        await removeWebhook(c.var.ctx, await idOf(c));
        return c.body(null, 204);
      },
    ),
    endpoint(
      { ...writes("webhook.tested"), ids: { params: ids }, rate: "webhook_test" },
      createRoute({
        method: "post",
        path: `${path}/test`,
        tags,
        summary: `Send a test event${to}`,
        description: "One real attempt, made before the response and never retried.",
        request: { params },
        responses: { 200: json("Result of the attempt", WebhookTestResult), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => c.json(presentTest(await testWebhook(c.var.ctx, await idOf(c))), 200),
    ),

    endpoint(
      { ...writes(null), ids: { params: ids } },
      createRoute({
        method: "get",
        path: `${path}/deliveries`,
        tags,
        summary: `List delivery attempts of a webhook${of}`,
        description: "Kept for 30 days. X-Total-Count stops counting at 10,000.",
        request: { params, query: DeliveriesQuery },
        responses: {
          200: json("Attempts, those of the newest delivery first", z.array(DeliveryAttempt)),
          ...OBJECT_ERRORS,
        },
      }),
      async (c) => {
        const { limit, offset, cursor, ...filter } = c.req.valid("query");
        const page = { limit, offset, cursor };
        const { rows, total } = await listWebhookAttempts(c.var.ctx, await idOf(c), page, filter);
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
      { ...writes("webhook.redelivered"), ids: { params: ids } },
      createRoute({
        method: "post",
        path: `${path}/deliveries/{delivery_id}/redeliver`,
        tags,
        summary: `Send a delivery${to} again`,
        description: "Under the same webhook-id. Accepts the id of a delivery or of one of its attempts.",
        request: { params: params.extend({ delivery_id: z.uuid() }) },
        responses: { 201: json("The delivery, due at once", Delivery), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const delivery = await redeliver(c.var.ctx, await idOf(c), c.req.param("delivery_id") ?? "");
        return c.json(presentDelivery(delivery), 201);
      },
    ),
  ];
}

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
    { ...writes("webhook.created"), ids: { body: { status_page_id: "page", ...NAMED_TARGETS } } },
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
    { ...reads, ids: one },
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
    { ...writes("webhook.toggled"), ids: one },
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
    { ...writes("webhook.team_only_toggled"), ids: one },
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

  ...endpointsAt({
    path: "/webhooks/{id}",
    of: "",
    to: "",
    params: IdParam,
    ids: one.params,
    Update: WebhookUpdate,
    updateIds: { status_page_id: "page", ...NAMED_TARGETS },
    idOf: (c) => c.req.param("id") ?? "",
  }),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
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
    { ...writes("webhook.created"), ids: { params: { id: "page" }, body: NAMED_TARGETS } },
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

  ...endpointsAt({
    path: "/status-pages/{status_page_id}/alert-setup/{id}",
    of: " of a status page",
    to: " to a webhook of a status page",
    params: OnPage,
    ids: { status_page_id: "page", ...one.params },
    Update: PageWebhookUpdate,
    updateIds: NAMED_TARGETS,
    idOf: (c) =>
      getIdOnPage(c.var.ctx, { status_page_id: c.req.param("status_page_id") ?? "", id: c.req.param("id") ?? "" }),
  }),
];
