import { createRoute, z } from "@hono/zod-openapi";
import { Secret, SecretCreate } from "../../contract/secret.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentSecret } from "./present.ts";
import { listMySecrets, removeSecret, saveSecret } from "./service.ts";

const tags = ["Monitors"];
const shared = { at: ["core", "v1"], auth: "user", permission: null } as const;

const KeyParam = z.object({
  name: z.string().min(1).max(64).meta({ description: "of the secret, or its id", example: "SHOP_PASSWORD" }),
});

export const endpoints = [
  endpoint(
    { ...shared, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/secrets",
      tags,
      summary: "List your secrets",
      description: "Steps of journeys send them as `{{secret.NAME}}`. Values are never returned.",
      request: { query: ListQuery },
      responses: { 200: json("Your secrets, by name", z.array(Secret)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listMySecrets(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentSecret), 200);
    },
  ),

  endpoint(
    { ...shared, audit: "secret.saved", rate: "api" },
    createRoute({
      method: "post",
      path: "/secrets",
      tags,
      summary: "Add a secret, or replace its value",
      description: "The next check of each monitor that uses the secret sends the new value.",
      request: { body: jsonBody(SecretCreate) },
      responses: {
        200: json("The secret of that name, with the new value", Secret),
        201: json("The new secret", Secret),
        ...USER_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const saved = await saveSecret(c.var.ctx, c.req.valid("json"));
      return c.json(presentSecret(saved), saved.isNew ? 201 : 200);
    },
  ),

  endpoint(
    { ...shared, audit: "secret.deleted", rate: "api" },
    createRoute({
      method: "delete",
      path: "/secrets/{name}",
      tags,
      summary: "Delete a secret",
      description: "409 in_use while a monitor uses it; `details` names the monitors.",
      request: { params: KeyParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeSecret(c.var.ctx, c.req.valid("param").name);
      return c.body(null, 204);
    },
  ),
];
