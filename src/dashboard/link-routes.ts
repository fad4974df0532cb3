import { requireSameOrigin } from "../access/sessions.ts";
import { PasswordLinkQuery } from "../contract/dashboard.ts";
import { ApiError } from "../contract/errors.ts";
import { findSignInLink, signInByLink } from "../features/sessions/sign-in-link.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { type FormErrors, toFormErrors } from "./form.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "./responses.ts";
import { renderMessage } from "./views/frame.tsx";
import { renderSignInLink } from "./views/sign-in-link.tsx";
import { words } from "./words.ts";

/** Links that `npm run token -- --sign-in-link` prints. */
const tags = ["Dashboard"];
const query = PasswordLinkQuery;
const GONE = { 410: html("The link is used or expired") };
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
      path: "/app/sign-in/link",
      tags,
      summary: "Sign-in link confirmation page",
      description: "Shows a form and changes nothing, because previews open links by themselves.",
      request: { query },
      responses: { 200: html("The form"), ...GONE, ...ERROR_RESPONSES },
    },
    (c) => showForm(c),
  ),

  endpoint(
    { ...policy, audit: "session.created", rate: "sign_in" },
    {
      method: "post",
      path: "/app/sign-in/link",
      tags,
      summary: "Sign in with a link",
      request: { query },
      responses: {
        303: { description: "Signed in; redirect" },
        401: html("The code is wrong or missing"),
        ...GONE,
        ...ERROR_RESPONSES,
      },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      try {
        const code = await readCode(c);
        const found = await findSignInLink(c.var.ctx, tokenOf(c));
        const cookies = await signInByLink(c.var.ctx, { token: tokenOf(c), code });
        return redirectTo(found?.has_password ? "/app" : "/app/welcome", ...cookies);
      } catch (error) {
        if (error instanceof ApiError && error.details?.[0]?.path === "token") return gone();
        return showForm(c, toFormErrors(error));
      }
    },
  ),
];

async function showForm(c: AppContext, refused?: FormErrors): Promise<Response> {
  const found = await findSignInLink(c.var.ctx, tokenOf(c));
  if (!found) return gone();
  const { user, needs_code } = found;
  const view = { email: user.email, href: addressOf(c), needs_code, problems: refused?.problems ?? {} };
  return page(renderSignInLink(view), refused?.status, refused?.headers);
}

/** A link without two-factor sign-in is submitted without any field. */
async function readCode(c: AppContext): Promise<string | null> {
  if (!c.req.header("content-type")) return null;
  return (await readForm(c.req.raw)).get("code");
}

function gone(): Response {
  return page(renderMessage(words("dashboard-account").sign_in.link_gone), 410);
}

function tokenOf(c: AppContext): string {
  return c.req.query("token") ?? "";
}

function addressOf(c: AppContext): string {
  return `/app/sign-in/link?token=${encodeURIComponent(tokenOf(c))}`;
}
