import { createRoute, z } from "@hono/zod-openapi";
import { Provider, ProviderChange, ProviderCreate, ProviderKey } from "../../contract/sign-in.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentProvider } from "./present.ts";
import { addProvider, changeProvider, getShownProvider, listAllProviders, removeProvider } from "./service.ts";

const tags = ["Service"];
const shared = { at: ["core"], auth: "user", permission: null, token: "whole" } as const;
const params = z.object({ id: ProviderKey.meta({ example: "works" }) });
const FOR_OPERATORS = "For operators; 403 for all other accounts.";

export const endpoints = [
  endpoint(
    { ...shared, rate: "api", audit: null },
    createRoute({
      method: "get",
      path: "/sign-in-providers",
      tags,
      summary: "List the providers of sign-in",
      description: `Those of the setting OIDC_PROVIDERS first. ${FOR_OPERATORS}`,
      responses: { 200: json("The providers", z.array(Provider)), ...USER_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      return c.json(
        (await listAllProviders(ctx)).map((each) => presentProvider(ctx, each)),
        200,
      );
    },
  ),

  endpoint(
    { ...shared, rate: "heavy", audit: "sign_in_provider.created" },
    createRoute({
      method: "post",
      path: "/sign-in-providers",
      tags,
      summary: "Add a provider of sign-in",
      description: `Its discovery is read first: 400 where it does not answer as a provider. At most 20. ${FOR_OPERATORS}`,
      request: { body: jsonBody(ProviderCreate) },
      responses: { 201: json("The provider", Provider), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      return c.json(presentProvider(ctx, await addProvider(ctx, c.req.valid("json"))), 201);
    },
  ),

  endpoint(
    { ...shared, rate: "api", audit: null },
    createRoute({
      method: "get",
      path: "/sign-in-providers/{id}",
      tags,
      summary: "Get a provider of sign-in",
      description: FOR_OPERATORS,
      request: { params },
      responses: { 200: json("The provider", Provider), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      return c.json(presentProvider(ctx, await getShownProvider(ctx, c.req.valid("param").id)), 200);
    },
  ),

  endpoint(
    { ...shared, rate: "heavy", audit: "sign_in_provider.updated" },
    createRoute({
      method: "patch",
      path: "/sign-in-providers/{id}",
      tags,
      summary: "Change a provider of sign-in",
      description: `Kind and issuer stay. Disabling it ends the sessions that began by it. ${FOR_OPERATORS}`,
      request: { params, body: jsonBody(ProviderChange) },
      responses: { 200: json("The provider", Provider), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      const changed = await changeProvider(ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentProvider(ctx, changed), 200);
    },
  ),

  endpoint(
    { ...shared, rate: "api", audit: "sign_in_provider.deleted" },
    createRoute({
      method: "delete",
      path: "/sign-in-providers/{id}",
      tags,
      summary: "Delete a provider of sign-in",
      description: `Ends the sessions that began by it. Who links to whom stays, for a provider of the same issuer. ${FOR_OPERATORS}`,
      request: { params },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeProvider(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
