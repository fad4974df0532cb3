import { createRoute } from "@hono/zod-openapi";
import {
  Login,
  Me,
  PasswordChange,
  PasswordReset,
  PasswordResetRequest,
  PasswordResetRequested,
} from "../../contract/session.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, json, jsonBody, noContent, PUBLIC_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { requestPasswordReset, resetPassword } from "./password-reset.ts";
import { presentMe } from "./present.ts";
import { changePassword, getMe, signIn, signOut } from "./service.ts";

const tags = ["Account"];

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "session.created", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/login",
      tags,
      summary: "Sign in with e-mail address and password",
      description:
        "Sets a cookie that authenticates like a token does: for 30 days, or 7 days without use. Requests that change something must come from this service's own pages.",
      request: { body: jsonBody(Login) },
      responses: { 200: json("Who is signed in", Me), ...PUBLIC_ERRORS, ...BODY_ERRORS, 401: USER_ERRORS[401] },
    }),
    async (c) => {
      const { me, cookie } = await signIn(c.var.ctx, c.req.valid("json"));
      return c.json(presentMe(me), 200, { "Set-Cookie": cookie });
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "session.ended", rate: "api" },
    createRoute({
      method: "post",
      path: "/auth/logout",
      tags,
      summary: "Sign out",
      description: "The session is over on the server, too. API tokens stay.",
      responses: { ...noContent, ...USER_ERRORS },
    }),
    async (c) => {
      c.header("Set-Cookie", await signOut(c.var.ctx));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api" },
    createRoute({
      method: "get",
      path: "/auth/me",
      tags,
      summary: "Read who you are",
      responses: { 200: json("You", Me), ...USER_ERRORS },
    }),
    async (c) => c.json(presentMe(await getMe(c.var.ctx)), 200),
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "password.changed", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/password",
      tags,
      summary: "Set or change your password",
      description: "Ends all of your sessions; the browser that asks gets a new one. API tokens stay.",
      request: { body: jsonBody(PasswordChange) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const cookie = await changePassword(c.var.ctx, c.req.valid("json"));
      if (cookie !== null) c.header("Set-Cookie", cookie);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "password.link_mailed", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/password/forgotten",
      tags,
      summary: "Ask for a mail with a link to choose a new password",
      description:
        "The link is good for one hour and one use. The answer is the same whether there is an account, or it has been asked for too often (3 times an hour).",
      request: { body: jsonBody(PasswordResetRequest) },
      responses: { 202: json("Accepted", PasswordResetRequested), ...PUBLIC_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await requestPasswordReset(c.var.ctx, c.req.valid("json"));
      return c.json({ message: "if there is such an account, a link is on its way to it" }, 202);
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "password.changed", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/password/reset",
      tags,
      summary: "Choose a new password by a mailed link",
      description: "Ends all of your sessions and sets the cookie of a new one. API tokens stay.",
      request: { body: jsonBody(PasswordReset) },
      responses: { ...noContent, ...PUBLIC_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      c.header("Set-Cookie", await resetPassword(c.var.ctx, c.req.valid("json")));
      return c.body(null, 204);
    },
  ),
];
