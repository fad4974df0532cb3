import { createRoute, z } from "@hono/zod-openapi";
import {
  TrustedWorkflow,
  TrustedWorkflowCreate,
  WorkflowLogin,
  WorkflowToken,
} from "../../contract/trusted-workflow.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import {
  BODY_ERRORS,
  IdParam,
  json,
  jsonBody,
  noContent,
  OBJECT_ERRORS,
  PUBLIC_ERRORS,
  USER_ERRORS,
} from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { presentWorkflow } from "./present.ts";
import { distrustWorkflow, listMyWorkflows, signInWorkflow, trustWorkflow } from "./service.ts";

const tags = ["Account"];
const mine = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;
const path = "/user/trusted-workflows";

export const endpoints = [
  endpoint(
    { ...mine, audit: null, token: "account" },
    createRoute({
      method: "get",
      path,
      tags,
      summary: "List the workflows that you trust",
      request: { query: ListQuery },
      responses: { 200: json("The newest first", z.array(TrustedWorkflow)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMyWorkflows(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(
        rows.map((row) => presentWorkflow(row, c.var.publicUrl)),
        200,
      );
    },
  ),

  endpoint(
    { ...mine, audit: "workflow.trusted", ids: { body: { "status_page_ids[]": "page:see" } } },
    createRoute({
      method: "post",
      path,
      tags,
      summary: "Trust workflows of GitHub Actions",
      description:
        "Runs of this repository that meet the conditions get API tokens of yours by `POST /auth/workflow-token`, which last minutes, have these scopes and never more rights than you have when they are used. The repository that uses it first is the only one for good.",
      request: { body: jsonBody(TrustedWorkflowCreate) },
      responses: { 201: json("What is trusted", TrustedWorkflow), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const record = await trustWorkflow(c.var.ctx, c.req.valid("json"));
      return c.json(presentWorkflow(record, c.var.publicUrl), 201);
    },
  ),

  endpoint(
    { ...mine, audit: "workflow.distrusted" },
    createRoute({
      method: "delete",
      path: `${path}/{id}`,
      tags,
      summary: "Trust workflows no longer",
      description: "Tokens of runs end at once.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await distrustWorkflow(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "workflow.token_made", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/workflow-token",
      tags,
      summary: "Get an API token for a run of GitHub Actions",
      description:
        "Takes the token that GitHub gives a job with `id-token: write` for the audience of the trusted workflow, once. A token that GitHub did not sign for this service is 401; a run that does not meet the conditions is 403, which says why.",
      request: { body: jsonBody(WorkflowLogin) },
      responses: {
        201: json("The token", WorkflowToken),
        ...PUBLIC_ERRORS,
        ...BODY_ERRORS,
        401: USER_ERRORS[401],
        403: USER_ERRORS[403],
      },
    }),
    async (c) => {
      const { token, expires_at } = await signInWorkflow(c.var.ctx, c.req.valid("json"));
      return c.json({ token, expires_at: toIso(expires_at) }, 201);
    },
  ),
];
