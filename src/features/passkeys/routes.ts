import { createRoute, z } from "@hono/zod-openapi";
import {
  Confirmation,
  CreatedPasskey,
  Passkey,
  PasskeyChange,
  PasskeyCreate,
  PasskeyCreation,
  PasskeyRequest,
  PasskeySignIn,
} from "../../contract/passkey.ts";
import { Me } from "../../contract/session.ts";
import { endpoint } from "../../http/endpoint.ts";
import {
  BODY_ERRORS,
  DEACTIVATED,
  IdParam,
  json,
  jsonBody,
  noContent,
  OBJECT_ERRORS,
  PUBLIC_ERRORS,
  USER_ERRORS,
} from "../../http/responses.ts";
import {
  addPasskey,
  askForConfirmation,
  askForSignIn,
  changePasskey,
  listMyPasskeys,
  removePasskey,
  setUpPasskey,
  signInByPasskey,
} from "../sessions/passkeys.ts";
import { presentMe, presentPasskey } from "../sessions/present.ts";

const tags = ["Account"];
const mine = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: null, rate: "click" },
    createRoute({
      method: "post",
      path: "/auth/passkeys/sign-in/challenge",
      tags,
      summary: "Ask for a challenge to sign in by",
      description:
        "For `navigator.credentials.get()`. Sets a cookie that the answer has to come with; it is good for one answer within five minutes.",
      responses: { 200: json("What the browser asks its passkeys", PasskeyRequest), ...PUBLIC_ERRORS },
    }),
    (c) => {
      const { request, cookie } = askForSignIn(c.var.ctx);
      return c.json(request, 200, { "Set-Cookie": cookie, "Cache-Control": "no-store" });
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "session.created", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/passkeys/sign-in",
      tags,
      summary: "Sign in with a passkey",
      description:
        "Without address, password and code: the device has verified its person. Sets the cookie that POST /auth/login sets. A passkey that is unknown, was removed or made for another name of this service, or that answers an old challenge, is 401 `passkey_refused`.",
      request: { body: jsonBody(PasskeySignIn) },
      responses: {
        200: json("Who is signed in", Me),
        ...PUBLIC_ERRORS,
        ...BODY_ERRORS,
        401: USER_ERRORS[401],
        403: DEACTIVATED,
      },
    }),
    async (c) => {
      const { me, cookies } = await signInByPasskey(c.var.ctx, c.req.valid("json").passkey);
      return c.json(presentMe(me), 200, { "Set-Cookie": cookies });
    },
  ),

  endpoint(
    { ...mine, audit: null, token: "whole", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/passkeys/confirm",
      tags,
      summary: "Ask for a challenge to confirm that it is you",
      description:
        "The answer stands for the password in what asks for it. It is good for one request of this session or token, within five minutes.",
      responses: { 200: json("What the browser asks your passkeys", PasskeyRequest), ...USER_ERRORS },
    }),
    async (c) => c.json(await askForConfirmation(c.var.ctx), 200, { "Cache-Control": "no-store" }),
  ),

  endpoint(
    { ...mine, audit: null, token: "account", withoutSecondFactor: true },
    createRoute({
      method: "get",
      path: "/auth/passkeys",
      tags,
      summary: "List your passkeys",
      description: "At most 20, the oldest first.",
      responses: { 200: json("Your passkeys", z.array(Passkey)), ...USER_ERRORS },
    }),
    async (c) => c.json((await listMyPasskeys(c.var.ctx)).map(presentPasskey), 200),
  ),

  endpoint(
    { ...mine, audit: "passkey.set_up", rate: "sign_in", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/passkeys/setup",
      tags,
      summary: "Begin a new passkey",
      description:
        "For `navigator.credentials.create()`. Takes the password, or a passkey that you have; 409 for an account with neither, and with 20 passkeys.",
      request: { body: jsonBody(Confirmation) },
      responses: { 200: json("What the browser makes a passkey of", PasskeyCreation), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await setUpPasskey(c.var.ctx, c.req.valid("json")), 200, { "Cache-Control": "no-store" }),
  ),

  endpoint(
    { ...mine, audit: "passkey.added", rate: "sign_in", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/passkeys",
      tags,
      summary: "Add the passkey that the browser made",
      description:
        "Within five minutes of its beginning, by the same session or token. It signs in alone, and a password needs a second factor from then on; the first one of an account comes with recovery codes.",
      request: { body: jsonBody(PasskeyCreate) },
      responses: { 201: json("The passkey", CreatedPasskey), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { record, recovery_codes } = await addPasskey(c.var.ctx, c.req.valid("json"));
      return c.json({ ...presentPasskey(record), recovery_codes }, 201);
    },
  ),

  endpoint(
    { ...mine, audit: "passkey.renamed" },
    createRoute({
      method: "patch",
      path: "/auth/passkeys/{id}",
      tags,
      summary: "Rename a passkey",
      request: { params: IdParam, body: jsonBody(PasskeyChange) },
      responses: { 200: json("The passkey", Passkey), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) =>
      c.json(presentPasskey(await changePasskey(c.var.ctx, c.req.valid("param").id, c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...mine, audit: "passkey.removed", rate: "sign_in" },
    createRoute({
      method: "delete",
      path: "/auth/passkeys/{id}",
      tags,
      summary: "Remove a passkey",
      description:
        "Takes the password, or a passkey. Where it was the last second factor, the recovery codes end with it and the password signs in alone again.",
      request: { params: IdParam, body: jsonBody(Confirmation) },
      responses: { ...noContent, ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await removePasskey(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.body(null, 204);
    },
  ),
];
