import { createRoute, z } from "@hono/zod-openapi";
import { requireUser } from "../../access/principal.ts";
import {
  Login,
  Me,
  MeChange,
  PasswordChange,
  PasswordReset,
  PasswordResetRequest,
  PasswordResetRequested,
  Session,
} from "../../contract/session.ts";
import { RecoveryCodes, TotpConfirm, TotpDisable, TotpSecret, TotpSetup } from "../../contract/two-factor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
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
import { changePassword } from "./password.ts";
import { requestPasswordReset, resetPassword } from "./password-reset.ts";
import { presentMe, presentSession } from "./present.ts";
import { changeMe, endSession, getMe, listMySessions, revokeAll, signIn, signOut } from "./service.ts";
import { confirmTotp, disableTotp, setUpTotp } from "./two-factor.ts";

const tags = ["Account"];
const mine = { at: ["core"], auth: "user", permission: null, rate: "api" } as const;

export const endpoints = [
  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "session.created", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/login",
      tags,
      summary: "Sign in with e-mail address and password",
      description:
        "Sets a cookie that authenticates like a token does: for 30 days, or 7 days without use, unless the operator set other times. Requests that change something must come from this service's own pages. With two-factor sign-in a request without `code` is 401 `totp_required`, to be repeated with all three members; a wrong or used code is 401 `totp_wrong`. Each code works once, and ten wrong ones an hour are 429. An account with passkeys takes `passkey` instead of `code`; one that is not accepted is 401 `passkey_refused`.",
      request: { body: jsonBody(Login) },
      responses: {
        200: json("Who is signed in", Me),
        ...PUBLIC_ERRORS,
        ...BODY_ERRORS,
        401: USER_ERRORS[401],
        403: DEACTIVATED,
      },
    }),
    async (c) => {
      const { me, cookies } = await signIn(c.var.ctx, c.req.valid("json"));
      return c.json(presentMe(me), 200, { "Set-Cookie": cookies });
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "session.ended", rate: "api", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/logout",
      tags,
      summary: "Sign out",
      description: "Ends the session on the server, too. API tokens stay.",
      responses: { ...noContent, ...USER_ERRORS },
    }),
    async (c) => {
      c.header("Set-Cookie", await signOut(c.var.ctx));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: null, rate: "api", withoutSecondFactor: true },
    createRoute({
      method: "get",
      path: "/auth/me",
      tags,
      summary: "Get the current user",
      responses: { 200: json("The current user", Me), ...USER_ERRORS },
    }),
    async (c) => c.json(presentMe(await getMe(c.var.ctx)), 200),
  ),

  endpoint(
    { ...mine, audit: "account.updated" },
    createRoute({
      method: "patch",
      path: "/auth/me",
      tags,
      summary: "Change your name",
      request: { body: jsonBody(MeChange) },
      responses: { 200: json("The current user", Me), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentMe(await changeMe(c.var.ctx, c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...mine, audit: null, token: "account" },
    createRoute({
      method: "get",
      path: "/auth/sessions",
      tags,
      summary: "List your sessions",
      description: "The browsers that you are signed in with, the last used first.",
      request: { query: ListQuery },
      responses: { 200: json("Your sessions", z.array(Session)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { session_id: current_id } = requireUser(c.var.ctx);
      const { rows, total, session_ms } = await listMySessions(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(
        rows.map((session) => presentSession(session, { current_id, session_ms })),
        200,
      );
    },
  ),

  endpoint(
    { ...mine, audit: "session.ended" },
    createRoute({
      method: "delete",
      path: "/auth/sessions/{id}",
      tags,
      summary: "End one of your sessions",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await endSession(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...mine, audit: "credentials.revoked" },
    createRoute({
      method: "post",
      path: "/auth/revoke-all",
      tags,
      summary: "End all of your sessions and tokens",
      description:
        "API tokens, the metrics token, addresses of calendars, links of wall displays, and the tokens that you created to install agents or to link chats. The credential of this request included. Passkeys stay, as the password does.",
      responses: { ...noContent, ...USER_ERRORS },
    }),
    async (c) => {
      c.header("Set-Cookie", await revokeAll(c.var.ctx));
      return c.body(null, 204);
    },
  ),

  endpoint(
    {
      at: ["core"],
      auth: "user",
      permission: null,
      audit: "password.changed",
      rate: "sign_in",
      withoutSecondFactor: true,
    },
    createRoute({
      method: "post",
      path: "/auth/password",
      tags,
      summary: "Set or change your password",
      description:
        "Ends all of your other sessions, and with `end_tokens` your API tokens. Takes the present password, or a passkey. A first password is set from a session only: an API token is 403.",
      request: { body: jsonBody(PasswordChange) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await changePassword(c.var.ctx, c.req.valid("json"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "password.link_mailed", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/password/forgotten",
      tags,
      summary: "Request a password reset",
      description:
        "Mails a link that works once, within an hour. The response is the same without an account and after the third request in an hour.",
      request: { body: jsonBody(PasswordResetRequest) },
      responses: { 202: json("Accepted", PasswordResetRequested), ...PUBLIC_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await requestPasswordReset(c.var.ctx, c.req.valid("json"));
      return c.json({ message: "if the account exists, a password reset link was sent to it" }, 202);
    },
  ),

  endpoint(
    { at: ["core"], auth: "public", permission: null, audit: "password.changed", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/password/reset",
      tags,
      summary: "Reset the password",
      description:
        "Takes the token of a mailed link. Ends all of your sessions and, unless `end_tokens` is false, your API tokens; sets the cookie of a new session, except with two-factor sign-in, which stays on. The first reset verifies the address and always ends everything.",
      request: { body: jsonBody(PasswordReset) },
      responses: { ...noContent, ...PUBLIC_ERRORS, ...BODY_ERRORS, 403: DEACTIVATED },
    }),
    async (c) => {
      const cookies = await resetPassword(c.var.ctx, c.req.valid("json"));
      for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...mine, audit: "two_factor.set_up", rate: "sign_in", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/totp/setup",
      tags,
      summary: "Set up two-factor sign-in",
      description:
        "Returns a secret for an authenticator app (RFC 6238), once. Sign-in asks for codes only after one was confirmed; until then a new setup replaces the secret. 409 while two-factor sign-in is on.",
      request: { body: jsonBody(TotpSetup) },
      responses: { 200: json("The secret", TotpSecret), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await setUpTotp(c.var.ctx, c.req.valid("json")), 200),
  ),

  endpoint(
    { ...mine, audit: "two_factor.enabled", rate: "sign_in", withoutSecondFactor: true },
    createRoute({
      method: "post",
      path: "/auth/totp/confirm",
      tags,
      summary: "Switch two-factor sign-in on",
      description:
        "Takes a code of the authenticator app and returns ten recovery codes, shown once: each replaces a code of the app, or a passkey, once. API tokens and open sessions stay.",
      request: { body: jsonBody(TotpConfirm) },
      responses: { 200: json("The recovery codes", RecoveryCodes), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ recovery_codes: await confirmTotp(c.var.ctx, c.req.valid("json")) }, 200),
  ),

  endpoint(
    { ...mine, audit: "two_factor.disabled", rate: "sign_in" },
    createRoute({
      method: "post",
      path: "/auth/totp/disable",
      tags,
      summary: "Switch two-factor sign-in off",
      description:
        "Takes the password and a code of the authenticator app or a recovery code, or a passkey alone. Passkeys and the recovery codes that stand for them stay.",
      request: { body: jsonBody(TotpDisable) },
      responses: { ...noContent, ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      await disableTotp(c.var.ctx, c.req.valid("json"));
      return c.body(null, 204);
    },
  ),
];
