import { createRoute, z } from "@hono/zod-openapi";
import { LinkedSignIn } from "../../contract/sign-in.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentLinkedSignIn } from "./present.ts";
import { listMySignIns, unlinkSignIn } from "./service.ts";

const tags = ["Account"];

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api", token: "whole" },
    createRoute({
      method: "get",
      path: "/auth/sign-ins",
      tags,
      summary: "List the sign-ins at other providers that open your account",
      responses: { 200: json("At most 50, the newest first", z.array(LinkedSignIn)), ...USER_ERRORS },
    }),
    async (c) => {
      return c.json((await listMySignIns(c.var.ctx)).map(presentLinkedSignIn), 200);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "sign_in.unlinked", rate: "api" },
    createRoute({
      method: "delete",
      path: "/auth/sign-ins/{id}",
      tags,
      summary: "Unlink a sign-in",
      description: "Ends the sessions that began with it. 409 for the only way into an account without a password.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await unlinkSignIn(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
