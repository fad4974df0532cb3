import { createRoute, z } from "@hono/zod-openapi";
import { IncidentTemplate, IncidentTemplateChange, IncidentTemplateCreate } from "../../contract/incident-template.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentTemplate } from "./present.ts";
import { changeTemplate, createTemplate, listTemplates, removeTemplate } from "./service.ts";

const tags = ["Incident templates"];
const shared = { at: ["v1", "v2"], auth: "user", rate: "api" } as const;
const writes = { ...shared, permission: "incidents.write" } as const;
const ofPage = { ids: { params: { id: "page" } } } as const satisfies Partial<EndpointPolicy>;
const ofTemplate = {
  ids: { params: { id: "page", template_id: "incident template" } },
} as const satisfies Partial<EndpointPolicy>;
const TemplateParams = IdParam.extend({ template_id: z.uuid() });

export const endpoints = [
  endpoint(
    { ...shared, ...ofPage, permission: null, audit: null },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/incident-templates",
      tags,
      summary: "List the incident templates of a status page",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The templates, by name", z.array(IncidentTemplate)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listTemplates(c.var.ctx, c.req.valid("param").id, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentTemplate), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofPage, audit: "incident_template.created" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/incident-templates",
      tags,
      summary: "Create an incident template",
      request: { params: IdParam, body: jsonBody(IncidentTemplateCreate) },
      responses: { 201: json("The template", IncidentTemplate), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const template = await createTemplate(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentTemplate(template), 201);
    },
  ),

  endpoint(
    { ...writes, ...ofTemplate, audit: "incident_template.updated" },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/incident-templates/{template_id}",
      tags,
      summary: "Update an incident template",
      description: "Omitted fields keep their value; null clears them.",
      request: { params: TemplateParams, body: jsonBody(IncidentTemplateChange) },
      responses: { 200: json("The template", IncidentTemplate), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const template = await changeTemplate(c.var.ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentTemplate(template), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofTemplate, audit: "incident_template.deleted" },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/incident-templates/{template_id}",
      tags,
      summary: "Delete an incident template",
      request: { params: TemplateParams },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeTemplate(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),
];
