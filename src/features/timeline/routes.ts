import { createRoute, z } from "@hono/zod-openapi";
import { IncidentUpdate, IncidentUpdateCreate, UpdateChange } from "../../contract/incident.ts";
import { MaintenanceUpdate, MaintenanceUpdateCreate } from "../../contract/maintenance.ts";
import { type Endpoint, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { INCIDENT_TIMELINE } from "./incidents.ts";
import { MAINTENANCE_TIMELINE } from "./maintenance.ts";
import { changeUpdate, listUpdates, removeUpdate, type Timeline } from "./service.ts";

interface TimelineApi {
  timeline: Timeline;
  subject: "incident" | "maintenance";
  noun: string;
  path: string;
  tag: string;
  permission: NonNullable<EndpointPolicy["permission"]>;
  Update: z.ZodType<IncidentUpdate | MaintenanceUpdate>;
  UpdateCreate: z.ZodType<IncidentUpdateCreate | MaintenanceUpdateCreate>;
  /** What an added update causes. */
  effect: string;
}

const UpdateParams = IdParam.extend({ update_id: z.uuid() });

export const endpoints = [
  ...timelineEndpoints({
    timeline: INCIDENT_TIMELINE,
    subject: "incident",
    noun: "an incident",
    path: "/incidents/{id}/updates",
    tag: "Incidents",
    permission: "incidents.write",
    Update: IncidentUpdate,
    UpdateCreate: IncidentUpdateCreate,
    effect: "Sends incident.updated, or incident.resolved when the update resolves the incident.",
  }),
  ...timelineEndpoints({
    timeline: MAINTENANCE_TIMELINE,
    subject: "maintenance",
    noun: "a maintenance window",
    path: "/maintenance/{id}/updates",
    tag: "Maintenance",
    permission: "maintenance.write",
    Update: MaintenanceUpdate,
    UpdateCreate: MaintenanceUpdateCreate,
    effect: "Status completed ends the occurrence in progress and sends maintenance.completed.",
  }),
];

function timelineEndpoints(api: TimelineApi): Endpoint[] {
  const { timeline, subject, noun, path, permission, Update, UpdateCreate } = api;
  const tags = [api.tag];
  const shared = { at: ["v1"], auth: "user", rate: "api", ids: { params: { id: subject } } } as const;
  const writes = (audit: string): EndpointPolicy => ({ ...shared, permission, audit: `${subject}.${audit}` });
  return [
    endpoint(
      { ...shared, permission: null, audit: null },
      createRoute({
        method: "get",
        path,
        tags,
        summary: `List the updates of ${noun}`,
        request: { params: IdParam, query: ListQuery },
        responses: { 200: json("The updates, newest first", z.array(Update)), ...OBJECT_ERRORS },
      }),
      async (c) => {
        const pagination = c.req.valid("query");
        const { rows, total } = await listUpdates(c.var.ctx, timeline, { ...c.req.valid("param"), ...pagination });
        setListHeaders(c, pagination, total);
        return c.json(
          rows.map((update) => timeline.present(update)),
          200,
        );
      },
    ),

    endpoint(
      writes("update_added"),
      createRoute({
        method: "post",
        path,
        tags,
        summary: `Create an update of ${noun}`,
        description: api.effect,
        request: { params: IdParam, body: jsonBody(UpdateCreate) },
        responses: { 201: json("The update", Update), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const update = await timeline.add(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
        return c.json(timeline.present(update), 201);
      },
    ),

    endpoint(
      writes("update_changed"),
      createRoute({
        method: "put",
        path: `${path}/{update_id}`,
        tags,
        summary: `Update the message of an update of ${noun}`,
        description: "Sends no event.",
        request: { params: UpdateParams, body: jsonBody(UpdateChange) },
        responses: { 200: json("The update", Update), ...OBJECT_ERRORS, ...BODY_ERRORS },
      }),
      async (c) => {
        const update = await changeUpdate(c.var.ctx, timeline, {
          ...c.req.valid("param"),
          input: c.req.valid("json"),
        });
        return c.json(timeline.present(update), 200);
      },
    ),

    endpoint(
      writes("update_deleted"),
      createRoute({
        method: "delete",
        path: `${path}/{update_id}`,
        tags,
        summary: `Delete an update of ${noun}`,
        request: { params: UpdateParams },
        responses: { ...noContent, ...OBJECT_ERRORS },
      }),
      async (c) => {
        await removeUpdate(c.var.ctx, timeline, c.req.valid("param"));
        return c.body(null, 204);
      },
    ),
  ];
}
