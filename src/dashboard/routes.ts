import { requireSameOrigin } from "../access/sessions.ts";
import { SignInQuery } from "../contract/dashboard.ts";
import { awaitsFirstSignIn } from "../features/sessions/first-sign-in.ts";
import { signOut } from "../features/sessions/service.ts";
import { leaveProviderOf } from "../features/sign-in/provider-session.ts";
import { assetEndpoint } from "../http/assets.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, type ErrorPage, endpoint } from "../http/endpoint.ts";
import type { HtmlArea } from "../http/middleware.ts";
import { html } from "../http/responses.ts";
import { accessLogoutOf, accessProviderOf, hasAssertion } from "../platform/cloudflare-access.ts";
import { endpoints as accepting } from "./accept-routes.ts";
import { endpoints as chatAccounts } from "./account/chat-routes.tsx";
import { endpoints as contacts } from "./account/contact-routes.tsx";
import { endpoints as accountData } from "./account/data-routes.tsx";
import { endpoints as history } from "./account/history-routes.tsx";
import { endpoints as passkeys } from "./account/passkey-routes.tsx";
import { endpoints as programs } from "./account/program-routes.tsx";
import { endpoints as account } from "./account/routes.tsx";
import { endpoints as secondFactor } from "./account/second-factor-routes.tsx";
import { endpoints as secrets } from "./account/secret-routes.tsx";
import { endpoints as workflows } from "./account/workflow-routes.tsx";
import { endpoints as acknowledging } from "./acknowledge-routes.ts";
import { endpoints as agents } from "./agents/routes.tsx";
import { endpoints as alerts } from "./alerts/routes.tsx";
import { endpoints as routing } from "./alerts/routing-routes.tsx";
import { endpoints as who } from "./alerts/who-routes.tsx";
import { endpoints as audit } from "./audit/routes.tsx";
import { loadBrowserAssets } from "./browser-assets.ts";
import { endpoints as changes } from "./changes-routes.ts";
import { endpoints as demonstration } from "./demonstration/routes.ts";
import { endpoints as development } from "./development/routes.tsx";
import { type FormErrors, pathAfter, toFormErrors } from "./form.ts";
import { endpoints as frame } from "./frame-routes.ts";
import { ICON } from "./icon.ts";
import { endpoints as incidents } from "./incidents/routes.tsx";
import { endpoints as incidentTemplates } from "./incidents/template-routes.tsx";
import { endpoints as accounts } from "./installation/accounts-routes.tsx";
import { endpoints as networks } from "./installation/networks-routes.tsx";
import { endpoints as mailOutbox } from "./installation/outbox-routes.tsx";
import { endpoints as policyOfSessions } from "./installation/policy-routes.tsx";
import { endpoints as signInProviderSettings } from "./installation/providers-routes.tsx";
import { endpoints as installation } from "./installation/routes.tsx";
import { endpoints as signInLinks } from "./link-routes.ts";
import { endpoints as mailConsents } from "./mail-consent-routes.ts";
import { endpoints as maintenance } from "./maintenance/routes.tsx";
import { endpoints as monitors } from "./monitors/routes.ts";
import { endpoints as moving } from "./move/routes.tsx";
import { endpoints as notifications } from "./notifications/routes.tsx";
import { endpoints as onCallCalendar } from "./on-call/calendar-routes.tsx";
import { endpoints as onCall } from "./on-call/routes.tsx";
import { endpoints as overview } from "./overview/routes.ts";
import { endpoints as pages } from "./pages/routes.ts";
import { endpoints as choosingPasswords } from "./password-routes.ts";
import { endpoints as preferring } from "./preference-routes.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage, SCRIPT_POLICY } from "./responses.ts";
import { endpoints as rules } from "./rules/routes.tsx";
import { endpoints as savedViews } from "./saved-views/routes.ts";
import { sealEntered, signInByForm } from "./second-step.ts";
import { endpoints as linking } from "./sign-in/account-routes.tsx";
import { providerButtons, endpoints as signInProviders } from "./sign-in/routes.tsx";
import { STYLESHEET } from "./stylesheet.ts";
import { endpoints as team } from "./team/routes.tsx";
import { endpoints as transferring } from "./transfer-routes.ts";
import { renderMessage } from "./views/frame.tsx";
import { renderSignIn } from "./views/sign-in.tsx";
import { endpoints as walls } from "./wall/routes.tsx";
import { endpoints as welcome } from "./welcome-routes.tsx";
import { words } from "./words.ts";

/** The signed-in pages: forms without a script, by the same verbs as the API's. */
const tags = ["Dashboard"];
const elsewhere = { description: "Redirect" };
const refusals = {
  ...ERROR_RESPONSES,
  401: html("E-mail address, password or code is wrong or missing, or a credential is"),
};

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

export const HTML_AREA: HtmlArea = { prefix: "/app", refusalPage: renderErrorPage };

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
        const { cookies } = await signInByForm(c.var.ctx, form);
        return redirectTo(pathAfter(next, c.var.publicUrl), ...cookies);
      } catch (error) {
        const entered = await sealEntered(c.var.ctx, form, error);
        return showSignIn(c, { email: form.get("email"), next, entered, refused: toFormErrors(error) });
      }
    },
  ),

  endpoint(
    { ...policy, audit: "session.ended", rate: "api", withoutSecondFactor: true },
    {
      method: "post",
      path: "/app/sign-out",
      tags,
      summary: "Sign out",
      description: "Deletes the session on the server. Leads out of the provider, too, that began the session.",
      responses: { 200: html("Leads on to the provider"), 303: elsewhere, ...refusals },
    },
    async (c) => {
      const text = words("dashboard-frame").sign_out;
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const next = (await readForm(c.req.raw)).get("next");
      const after = next ? pathAfter(next, c.var.publicUrl) : "/app/sign-in?signed_out=yes";
      if (c.var.ctx.principal.kind !== "user") return redirectTo(after);
      const elsewhere = next ? null : await leaveProviderOf(c.var.ctx);
      const cookie = await signOut(c.var.ctx);
      const access = hasAssertion(c.var.settings, c.req.raw) && !next ? accessProviderOf(c.var.settings) : null;
      if (access) return leaveFor("Cloudflare Access", accessLogoutOf(access), cookie);
      return elsewhere ? leaveFor(text.provider, elsewhere.href, cookie) : redirectTo(after, cookie);
    },
  ),

  ...frame,
  ...changes,
  ...overview,
  ...incidentTemplates,
  ...incidents,
  ...maintenance,
  ...monitors,
  ...moving,
  ...welcome,
  ...pages,
  ...routing,
  ...alerts,
  ...who,
  ...rules,
  ...notifications,
  ...onCallCalendar,
  ...onCall,
  ...agents,
  ...account,
  ...passkeys,
  ...secondFactor,
  ...history,
  ...accountData,
  ...linking,
  ...secrets,
  ...workflows,
  ...chatAccounts,
  ...contacts,
  ...programs,
  ...savedViews,
  ...walls,
  ...audit,
  ...demonstration,
  ...development,
  ...installation,
  ...networks,
  ...mailOutbox,
  ...signInProviderSettings,
  ...accounts,
  ...policyOfSessions,
  ...team,

  ...accepting,
  ...acknowledging,
  ...mailConsents,
  ...preferring,
  ...choosingPasswords,
  ...signInLinks,
  ...signInProviders,
  ...transferring,

  assetEndpoint("app", [STYLESHEET, ICON], { tag: "Dashboard", summary: "Get a style sheet or icon of the dashboard" }),
];

/** Where people are answered in words of the dashboard: under its prefix, also where nothing is, and at links of mails. */
export const SPOKEN_PATHS: readonly string[] = [
  `${HTML_AREA.prefix}/*`,
  ...new Set(endpoints.map(({ path }) => path.replace(/\{(\w+)\}/g, ":$1")).filter((path) => !path.startsWith("/app"))),
];

/** Forms may lead to this service alone, also by a redirect, so a page leads on. */
function leaveFor(name: string, href: string, cookie: string): Response {
  const texts = words("dashboard-frame").sign_out;
  const text = texts.text({ name });
  const body = renderMessage({ title: texts.title, text, link: { href, text: texts.link({ name }) } });
  return page(body, 200, { "Set-Cookie": cookie, Refresh: `0; url=${href}` });
}

interface SignInState {
  email?: string | null;
  next?: string | null | undefined;
  refused?: FormErrors;
  isSignedOut?: boolean;
  entered?: string | null;
}

async function showSignIn(
  c: AppContext,
  { email, next, refused, isSignedOut, entered }: SignInState,
): Promise<Response> {
  const { publicUrl } = c.var;
  const { sign_in_script } = await loadBrowserAssets(c.env);
  const body = renderSignIn({
    email: email ?? "",
    next: next ? pathAfter(next, publicUrl) : null,
    problems: refused?.problems ?? {},
    is_signed_out: isSignedOut ?? false,
    entered: entered ?? null,
    public_url: publicUrl,
    providers: await providerButtons(c, next ? pathAfter(next, publicUrl) : null),
    is_new: await awaitsFirstSignIn(c.var.ctx),
    script: sign_in_script,
  });
  return page(body, refused?.status, { ...refused?.headers, ...SCRIPT_POLICY });
}
