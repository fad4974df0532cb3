import { createRoute, z } from "@hono/zod-openapi";
import { NAMED_TARGETS } from "../../access/alert-targets.ts";
import { requirePage } from "../../access/pages.ts";
import { requireGroup, requireMaintenance, requireMonitor, requireWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ExternalKey } from "../../contract/common.ts";
import { GROUP_BODIES } from "../../contract/group.ts";
import { Maintenance, MaintenanceChange, MaintenanceCreate } from "../../contract/maintenance.ts";
import { StatusPage, StatusPageCreate, StatusPageUpdate } from "../../contract/status-page.ts";
import { Webhook, WebhookCreate, WebhookUpdate } from "../../contract/webhook.ts";
import { type Endpoint, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { invalidInput } from "../../http/errors.ts";
import { BODY_ERRORS, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { groupVerbs } from "../groups/service.ts";
import { presentMaintenance } from "../maintenance/present.ts";
import { changeMaintenance, createMaintenance, getMaintenance, removeMaintenance } from "../maintenance/service.ts";
import { createMonitor } from "../monitors/create.ts";
import { gateCreation, gateUpdate } from "../monitors/plan-gate.ts";
import { presentMonitor } from "../monitors/present.ts";
import { MonitorBody, MonitorCreateBody, MonitorUpdateBody } from "../monitors/schemas.ts";
import { getMonitor, removeMonitor } from "../monitors/service.ts";
import { changeMonitor } from "../monitors/update.ts";
import { presentPage } from "../status-pages/present.ts";
import {
  createPage,
  deleteStatusPage,
  getPage,
  requireRoomForPage,
  updateStatusPage,
} from "../status-pages/service.ts";
import { presentWebhook } from "../webhooks/present.ts";
import { changeWebhook, createWebhook, getWebhook, removeWebhook } from "../webhooks/service.ts";
import { findForWrite, type KeyedResource, requireByKey, saveByKey } from "./service.ts";

/** One kind of object that can be addressed by key: the verbs and schemas that it has under its id. */
interface KeyedApi<View, Creation, Change, Shown> extends KeyedResource {
  path: string;
  tag: string;
  permission: EndpointPolicy["permission"];
  /** Begins the names of its audit events. */
  event: string;
  body: NonNullable<EndpointPolicy["ids"]>["body"];
  Create: z.ZodType<Creation>;
  Change: z.ZodType<Change>;
  Shown: z.ZodType<Shown>;
  gate?: (ctx: RequestScope, body: unknown, id: string | undefined) => Promise<void>;
  create(ctx: RequestScope, input: Creation): Promise<View>;
  change(ctx: RequestScope, id: string, input: Change): Promise<View>;
  get(ctx: RequestScope, id: string): Promise<View>;
  remove(ctx: RequestScope, id: string): Promise<void>;
  present(view: View, now: number): Shown;
}

const KeyParam = z.object({ external_key: ExternalKey });
const PageQuery = z.object({
  status_page_id: z.uuid().optional().meta({ description: "looks among the objects of this page's owner, not yours" }),
});
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const onPage = { query: { status_page_id: "page" } } as const;

export const endpoints = [
  ...byKeyEndpoints({
    table: "monitor",
    noun: "monitor",
    path: "/monitors",
    tag: "Monitors",
    event: "monitor",
    permission: "monitors.write",
    require: requireMonitor,
    body: {
      status_page_id: "page",
      group_id: "group",
      agent_id: "agent:see",
      "child_ids[]": "monitor",
      "depends_on[]": "monitor:see",
    },
    Create: MonitorCreateBody,
    Change: MonitorUpdateBody,
    Shown: MonitorBody,
    gate: (ctx, body, id) => (id === undefined ? gateCreation(ctx, body) : gateUpdate(ctx, body, { id })),
    create: createMonitor,
    change: changeMonitor,
    get: getMonitor,
    remove: removeMonitor,
    present: presentMonitor,
  }),
  ...byKeyEndpoints({
    table: "group",
    noun: "group",
    path: "/groups",
    tag: "Groups",
    event: "group",
    permission: "monitors.write",
    require: requireGroup,
    isBoundToPage: true,
    body: { status_page_id: "page" },
    Create: GROUP_BODIES.Create,
    Change: GROUP_BODIES.Change.extend({ status_page_id: z.uuid().optional() }),
    Shown: GROUP_BODIES.Shown,
    create: (ctx, input) => groupVerbs.create(ctx, input.status_page_id, input),
    change: groupVerbs.change,
    get: requireGroup,
    remove: groupVerbs.remove,
    present: groupVerbs.present,
  }),
  ...byKeyEndpoints({
    table: "webhook",
    noun: "webhook",
    path: "/webhooks",
    tag: "Webhooks",
    event: "webhook",
    permission: "alerting.write",
    require: requireWebhook,
    body: { status_page_id: "page", ...NAMED_TARGETS },
    Create: WebhookCreate,
    Change: WebhookUpdate,
    Shown: Webhook,
    create: createWebhook,
    change: changeWebhook,
    get: getWebhook,
    remove: removeWebhook,
    present: presentWebhook,
  }),
  ...byKeyEndpoints({
    table: "maintenance",
    noun: "maintenance window",
    path: "/maintenance",
    tag: "Maintenance",
    event: "maintenance",
    permission: "maintenance.write",
    require: requireMaintenance,
    isBoundToPage: true,
    body: { status_page_id: "page" },
    Create: MaintenanceCreate,
    Shown: Maintenance,
    Change: MaintenanceChange.extend({ status_page_id: z.uuid().optional() }),
    create: createMaintenance,
    change: changeMaintenance,
    get: getMaintenance,
    remove: removeMaintenance,
    present: presentMaintenance,
  }),
  // The owner of a page is its creator, so that nobody but the owner can name it by key.
  ...byKeyEndpoints({
    table: "status_page",
    noun: "status page",
    path: "/status-pages",
    tag: "Status pages",
    event: "page",
    permission: null,
    require: requirePage,
    body: { "monitors[]": "monitor" },
    Create: StatusPageCreate,
    Change: StatusPageUpdate,
    Shown: StatusPage,
    gate: async (ctx, _body, id) => (id === undefined ? requireRoomForPage(ctx) : undefined),
    create: createPage,
    change: updateStatusPage,
    get: getPage,
    remove: deleteStatusPage,
    present: presentPage,
  }),
];

function byKeyEndpoints<View, Creation, Change, Shown>(api: KeyedApi<View, Creation, Change, Shown>): Endpoint[] {
  const { noun, permission, event, Change, Shown } = api;
  const path = `${api.path}/by-key/{external_key}`;
  const tags = [api.tag];
  const ids = permission === null ? {} : onPage;
  const query = permission === null ? z.object({}) : PageQuery;
  const one = json(`The ${noun}`, Shown);
  return [
    endpoint(
      { ...shared, permission: permission === null ? null : "page.read", audit: null, ids },
      createRoute({
        method: "get",
        path,
        tags,
        summary: `Get a ${noun} by its external key`,
        request: { params: KeyParam, query },
        responses: { 200: one, ...OBJECT_ERRORS },
      }),
      async (c) => {
        const id = await requireByKey(c.var.ctx, api, { ...c.req.valid("param"), ...c.req.valid("query") });
        return c.json(api.present(await api.get(c.var.ctx, id), c.var.now), 200);
      },
    ),

    endpoint(
      {
        ...shared,
        permission,
        audit: `${event}.updated`,
        ...(permission === null ? { token: "page.write" as const } : {}),
        ids: { body: api.body },
        plan: async (ctx, body, { external_key = "" }) =>
          api.gate?.(ctx, body, await findForWrite(ctx, api, { external_key, body })),
      },
      createRoute({
        method: "put",
        path,
        tags,
        summary: `Create or update the ${noun} with this external key`,
        description: `201 when it was created, for which the body has to be complete; otherwise omitted fields keep their value. Keys are unique per owner${permission === null ? "" : "; the owner is that of the body's page, else you"}.`,
        request: { params: KeyParam, body: jsonBody(Change) },
        responses: { 200: one, 201: json(`The new ${noun}`, Shown), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const { external_key } = c.req.valid("param");
        const body: unknown = await c.req.json();
        const ctx = c.var.ctx;
        const { view, isNew } = await saveByKey(ctx, api, {
          external_key,
          body,
          create: () =>
            api.create({ ...ctx, auditEvent: `${event}.created` }, parseCreation(api, { body, external_key })),
          // The address names it; a null in the body would take the object away from there.
          change: (id) => api.change(ctx, id, Object.assign({}, c.req.valid("json"), { external_key })),
        });
        return c.json(api.present(view, c.var.now), isNew ? 201 : 200);
      },
    ),

    endpoint(
      { ...shared, permission, audit: `${event}.deleted`, ids },
      createRoute({
        method: "delete",
        path,
        tags,
        summary: `Delete the ${noun} with this external key`,
        request: { params: KeyParam, query },
        responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
      }),
      async (c) => {
        const id = await requireByKey(c.var.ctx, api, { ...c.req.valid("param"), ...c.req.valid("query") });
        await api.remove(c.var.ctx, id);
        return c.body(null, 204);
      },
    ),
  ];
}

/** The schema of a change has accepted the body already; a creation also needs what has no default. */
function parseCreation<Creation>(
  { Create }: { Create: z.ZodType<Creation> },
  { body, external_key }: { body: unknown; external_key: string },
): Creation {
  const parsed = Create.safeParse(Object.assign({}, body, { external_key }));
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}
