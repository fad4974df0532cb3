import { requireSameOrigin } from "../access/sessions.ts";
import { PasswordLinkQuery } from "../contract/dashboard.ts";
import { ApiError } from "../contract/errors.ts";
import { PasswordReset, PasswordResetRequest } from "../contract/session.ts";
import { isOutboxShown } from "../features/mail-outbox/service.ts";
import { findResetAccount, requestPasswordReset, resetPassword } from "../features/sessions/password-reset.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, type ErrorPage, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { type FormErrors, parseFields, toFormErrors } from "./form.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "./responses.ts";
import { type NoticeView, renderMessage } from "./views/frame.tsx";
import { renderForgotten, renderReset } from "./views/password.tsx";
import { words } from "./words.ts";

/** Password reset by a mailed link. */
const tags = ["Dashboard"];
const query = PasswordLinkQuery;
const GONE = { 410: html("The link is used or expired") };

const onForgotten: ErrorPage = async (c, refusal) => {
  if (refusal?.status !== 429) return renderErrorPage(c, refusal);
  const form = await readForm(c.req.raw).catch(() => new URLSearchParams());
  return showForgotten(form.get("email"), toFormErrors(refusal));
};
const onReset: ErrorPage = (c, refusal) =>
  refusal?.status === 429 ? showReset(c, toFormErrors(refusal)) : renderErrorPage(c, refusal);

const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;

export const endpoints = [
  endpoint(
    { ...policy, audit: null, rate: "click" },
    {
      method: "get",
      path: "/app/forgotten-password",
      tags,
      summary: "Get the password reset request form",
      responses: { 200: html("The form"), ...ERROR_RESPONSES },
    },
    () => showForgotten(null),
  ),

  endpoint(
    { ...policy, audit: "password.link_mailed", rate: "sign_in", refusalPage: onForgotten },
    {
      method: "post",
      path: "/app/forgotten-password",
      tags,
      summary: "Submit the password reset request form",
      description: "application/x-www-form-urlencoded; programs use POST /auth/password/forgotten.",
      responses: { 202: html("Accepted"), ...ERROR_RESPONSES },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      try {
        await requestPasswordReset(c.var.ctx, parseFields(PasswordResetRequest, form, ["email"]));
      } catch (error) {
        return showForgotten(form.get("email"), toFormErrors(error));
      }
      const { password: said, sign_in } = words("dashboard-account");
      // The outbox itself is for operators who are signed in.
      const text = isOutboxShown(c.var.ctx) ? `${said.mailed.text} ${said.mailed.stays}` : said.mailed.text;
      return page(
        renderMessage({ title: said.mailed.title, text, link: { href: "/app/sign-in", text: sign_in.sign_in } }),
        202,
      );
    },
  ),

  endpoint(
    { ...policy, audit: null, rate: "click" },
    {
      method: "get",
      path: "/app/reset",
      tags,
      summary: "Get the password reset form",
      description: "Shows a form and changes nothing, because mail programs open links by themselves.",
      request: { query },
      responses: { 200: html("The form"), ...GONE, ...ERROR_RESPONSES },
    },
    (c) => showReset(c),
  ),

  endpoint(
    { ...policy, audit: "password.changed", rate: "sign_in", refusalPage: onReset },
    {
      method: "post",
      path: "/app/reset",
      tags,
      summary: "Submit the password reset form",
      description: "application/x-www-form-urlencoded; programs use POST /auth/password/reset.",
      request: { query },
      responses: { 303: { description: "Signed in; redirect" }, ...GONE, ...ERROR_RESPONSES },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      form.set("token", tokenOf(c));
      try {
        const input = parseFields(PasswordReset, form, ["token", "password"]);
        const cookies = await resetPassword(c.var.ctx, { ...input, end_tokens: form.has("end_tokens") });
        return redirectTo("/app", ...cookies);
      } catch (error) {
        // Used or expired in the meantime: the page states it.
        if (error instanceof ApiError && error.details?.[0]?.path === "token") return showReset(c);
        return showReset(c, toFormErrors(error));
      }
    },
  ),
];

function showForgotten(email: string | null, refused?: FormErrors): Response {
  return page(
    renderForgotten({ email: email ?? "", problems: refused?.problems ?? {} }),
    refused?.status,
    refused?.headers,
  );
}

async function showReset(c: AppContext, refused?: FormErrors): Promise<Response> {
  const token = tokenOf(c);
  const found = await findResetAccount(c.var.ctx, token);
  if (!found) return page(renderMessage(goneMessage()), 410);
  const view = {
    email: found.email,
    href: `/app/reset?token=${encodeURIComponent(token)}`,
    problems: refused?.problems ?? {},
  };
  return page(renderReset(view), refused?.status, refused?.headers);
}

function goneMessage(): NoticeView {
  const { title, text, link } = words("dashboard-account").password.gone;
  return { title, text, link: { href: "/app/forgotten-password", text: link } };
}

function tokenOf(c: AppContext): string {
  return c.req.query("token") ?? "";
}
