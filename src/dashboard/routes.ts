import { requireSameOrigin } from "../access/sessions.ts";
import { HomeQuery, SignInQuery } from "../contract/dashboard.ts";
import { listPagesSharedWithMe } from "../features/members/service.ts";
import { signOut } from "../features/sessions/service.ts";
import { listMyPages } from "../features/status-pages/service.ts";
import { assetEndpoint } from "../http/assets.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, type ErrorPage, endpoint } from "../http/endpoint.ts";
import type { HtmlArea } from "../http/middleware.ts";
import { html } from "../http/responses.ts";
import { endpoints as accepting } from "./accept-routes.ts";
import { endpoints as acknowledging } from "./acknowledge-routes.ts";
import { type FormErrors, pathAfter, toFormErrors } from "./form.ts";
import { endpoints as signInLinks } from "./link-routes.ts";
import { endpoints as choosingPasswords } from "./password-routes.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "./responses.ts";
import { sealEntered, signInByForm } from "./second-step.ts";
import { STYLESHEET } from "./stylesheet.ts";
import { renderHome } from "./views/home.tsx";
import { renderSignIn } from "./views/sign-in.tsx";

/** The signed-in pages: forms without a script, by the same verbs as the API's. */
const tags = ["Dashboard"];
const elsewhere = { description: "Redirect" };
const refusals = {
  ...ERROR_RESPONSES,
  401: html("E-mail address, password or code is wrong or missing, or a credential is"),
};
const SHOWN_MAX = 100;

const policy = {
  at: ["root"],
  auth: "optional",
  permission: null,
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;

/** The form keeps what was entered, also when there were too many attempts. */
const onSignIn: ErrorPage = async (c, refusal) => {
  if (refusal?.status !== 429) return renderErrorPage(c, refusal);
  const form = await readForm(c.req.raw).catch(() => new URLSearchParams());
  return showSignIn(c, { email: form.get("email"), next: form.get("next"), refused: toFormErrors(refusal) });
};

export const PLACE: HtmlArea = { prefix: "/app", refusalPage: renderErrorPage };

export const endpoints = [
  endpoint(
    { ...policy, auth: "public", audit: null, rate: "public" },
    {
      method: "get",
      path: "/",
      tags,
      summary: "Redirect to the dashboard",
      responses: { 303: elsewhere },
    },
    () => redirectTo("/app"),
  ),

  endpoint(
    { ...policy, audit: null, rate: "api" },
    {
      method: "get",
      path: "/app",
      tags,
      summary: "Dashboard home page",
      request: { query: HomeQuery },
      responses: {
        200: html("The user's status pages"),
        303: { description: "Redirect to the sign-in form" },
        ...refusals,
      },
    },
    async (c) => {
      if (c.var.ctx.principal.kind !== "user") return redirectTo("/app/sign-in");
      return showHome(c, c.req.valid("query").joined);
    },
  ),

  endpoint(
    { ...policy, audit: null, rate: "api" },
    {
      method: "get",
      path: "/app/sign-in",
      tags,
      summary: "Get the sign-in form",
      request: { query: SignInQuery },
      responses: { 200: html("The form"), 303: { description: "Already signed in" }, ...refusals },
    },
    async (c) => {
      const { next, signed_out } = c.req.valid("query");
      if (c.var.ctx.principal.kind === "user") return redirectTo(pathAfter(next, c.var.publicUrl));
      return showSignIn(c, { next, isSignedOut: signed_out !== undefined });
    },
  ),

  endpoint(
    { ...policy, audit: "session.created", rate: "sign_in", refusalPage: onSignIn },
    {
      method: "post",
      path: "/app/sign-in",
      tags,
      summary: "Submit the sign-in form",
      description: "application/x-www-form-urlencoded; programs use POST /auth/login.",
      responses: { 303: elsewhere, ...refusals },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      const next = form.get("next");
      try {
        const { cookie } = await signInByForm(c.var.ctx, form);
        return redirectTo(pathAfter(next, c.var.publicUrl), cookie);
      } catch (error) {
        const entered = await sealEntered(c.var.ctx, form, error);
        return showSignIn(c, { email: form.get("email"), next, entered, refused: toFormErrors(error) });
      }
    },
  ),

  endpoint(
    { ...policy, audit: "session.ended", rate: "api" },
    {
      method: "post",
      path: "/app/sign-out",
      tags,
      summary: "Sign out",
      description: "Deletes the session on the server.",
      responses: { 303: elsewhere, ...refusals },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const next = (await readForm(c.req.raw)).get("next");
      const after = next ? pathAfter(next, c.var.publicUrl) : "/app/sign-in?signed_out=yes";
      if (c.var.ctx.principal.kind !== "user") return redirectTo(after);
      return redirectTo(after, await signOut(c.var.ctx));
    },
  ),

  ...accepting,
  ...acknowledging,
  ...choosingPasswords,
  ...signInLinks,

  assetEndpoint("app", [STYLESHEET], { tag: "Dashboard", summary: "Get the style sheet of the dashboard" }),
];

async function showHome(c: AppContext, joined: string | undefined): Promise<Response> {
  const { ctx } = c.var;
  const scope = { limit: SHOWN_MAX, offset: 0 };
  const [mine, shared] = await Promise.all([listMyPages(ctx, scope), listPagesSharedWithMe(ctx, scope)]);
  const roles = new Map(shared.views.map(({ page: { id }, role }) => [id, role]));
  const pages = mine.views.map(({ page: { id, name, slug, is_public } }) => ({
    name,
    href: `/status/${slug}`,
    role: roles.get(id) ?? "owner",
    is_public,
  }));
  const { name = "", email = "" } = ctx.principal.kind === "user" ? ctx.principal : {};
  const joinedPage = shared.views.find(({ page: { id } }) => id === joined)?.page.name ?? null;
  return page(renderHome({ name, email, joined: joinedPage, pages, more: mine.total - pages.length }));
}

interface SignInState {
  email?: string | null;
  next?: string | null | undefined;
  refused?: FormErrors;
  isSignedOut?: boolean;
  entered?: string | null;
}

function showSignIn(c: AppContext, { email, next, refused, isSignedOut, entered }: SignInState): Response {
  const { publicUrl } = c.var;
  const body = renderSignIn({
    email: email ?? "",
    next: next ? pathAfter(next, publicUrl) : null,
    problems: refused?.problems ?? {},
    is_signed_out: isSignedOut ?? false,
    entered: entered ?? null,
    public_url: publicUrl,
  });
  return page(body, refused?.status, refused?.headers);
}
