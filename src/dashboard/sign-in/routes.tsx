import { z } from "zod";
import { requireSameOrigin } from "../../access/sessions.ts";
import { ApiError, notFound } from "../../contract/errors.ts";
import { CallbackQuery } from "../../contract/sign-in.ts";
import { endAttempt, openProof, readAttempt } from "../../features/sign-in/attempt.ts";
import {
  beginSignIn,
  confirmSignIn,
  endSessionsByProvider,
  finishSignIn,
  type SignInOutcome,
  signInByAccess,
} from "../../features/sign-in/service.ts";
import { getProvider, listProviders } from "../../features/sign-in-providers/known.ts";
import { readForm } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { html } from "../../http/responses.ts";
import { hasAssertion } from "../../platform/cloudflare-access.ts";
import { ProviderError } from "../../platform/provider-requests.ts";
import { pathAfter, toFormErrors } from "../form.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "../responses.ts";
import { isAboutCode } from "../second-step.ts";
import { renderMessage } from "../views/frame.tsx";
import type { ProviderButton } from "../views/sign-in.tsx";
import { words } from "../words.ts";
import { renderConfirmation, renderLink } from "./views.tsx";

/** Signing in by a provider: away to it, back from it, and what an account asks for besides. */
const tags = ["Dashboard"];
const params = z.object({ provider: z.string() });
const elsewhere = { description: "Redirect" };
const responses = {
  200: html("What the account asks for besides"),
  303: elsewhere,
  ...ERROR_RESPONSES,
  401: html("The password or code is wrong or missing"),
  404: html("No such provider"),
  409: html("Linked already"),
};
const policy = {
  at: ["root"],
  auth: "optional",
  permission: null,
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;

export const endpoints = [
  endpoint(
    { ...policy, audit: "session.created", rate: "click" },
    {
      method: "get",
      path: "/app/sign-in/with/{provider}",
      tags,
      summary: "Go to a provider to sign in",
      description: "Nobody is sent to Cloudflare Access, which says with each request whose it is.",
      request: { params, query: z.object({ next: z.string().optional() }) },
      responses,
    },
    async (c) => {
      const next = pathAfter(c.req.valid("query").next, c.var.publicUrl);
      if (c.var.ctx.principal.kind === "user") return redirectTo(next);
      return goToProvider(c, { provider: c.req.valid("param").provider, next, linkTo: null });
    },
  ),

  endpoint(
    { ...policy, audit: "session.created", rate: "sign_in" },
    {
      method: "get",
      path: "/app/sign-in/with/{provider}/callback",
      tags,
      summary: "Come back from a provider",
      description: "Accepts what the browser that began it brings back within ten minutes, once.",
      request: { params, query: CallbackQuery },
      responses,
    },
    (c) =>
      explained(c, async () => {
        const provider = await getProvider(c.var.ctx, c.req.valid("param").provider);
        const attempt = await readAttempt(c.var.ctx, c.req.raw, provider.id);
        if (!attempt || provider.kind === "access") return over();
        const outcome = await finishSignIn(c.var.ctx, provider, { attempt, answer: new URL(c.req.url) });
        return withEndedAttempt(c, showOutcome(c, { provider, outcome }));
      }),
  ),

  endpoint(
    { ...policy, audit: "session.created", rate: "sign_in" },
    {
      method: "post",
      path: "/app/sign-in/with/{provider}/confirm",
      tags,
      summary: "Give what the account asks for besides",
      request: { params },
      responses,
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      return explained(c, () => confirm(c, form));
    },
  ),

  endpoint(
    { ...policy, audit: "session.ended", rate: "sign_in" },
    {
      method: "post",
      path: "/app/sign-in/with/{provider}/back-channel-logout",
      tags,
      summary: "Take a provider's word that somebody's sessions are over",
      description: "OpenID Connect Back-Channel Logout 1.0; the token has to name the subject.",
      request: { params },
      responses: {
        200: html("The sessions that began by the provider are over"),
        ...ERROR_RESPONSES,
        404: html("No such provider"),
      },
    },
    (c) =>
      explained(c, async () => {
        const provider = await getProvider(c.var.ctx, c.req.valid("param").provider);
        if (provider.kind === "access") throw notFound("sign-in provider");
        const token = (await readForm(c.req.raw)).get("logout_token") ?? "";
        await endSessionsByProvider(c.var.ctx, provider, token);
        const text = words("dashboard-account").sign_in;
        return page(renderMessage({ title: text.signed_out, text: text.sessions_over, link: again() }), 200);
      }),
  ),
];

/** Buttons of the sign-in form; Access is one for whom it let through. */
export async function providerButtons(c: AppContext, next: string | null): Promise<ProviderButton[]> {
  const query = next ? `?next=${encodeURIComponent(next)}` : "";
  const offered = (await listProviders(c.var.ctx)).filter(
    ({ kind }) => kind !== "access" || hasAssertion(c.var.settings, c.req.raw),
  );
  return offered.map(({ id, name }) => ({ href: `/app/sign-in/with/${id}${query}`, name }));
}

/** Leaves for the provider, or takes what Access said of this request already. */
export function goToProvider(
  c: AppContext,
  { provider: id, next, linkTo }: { provider: string; next: string; linkTo: string | null },
): Promise<Response> {
  return explained(c, async () => {
    const provider = await getProvider(c.var.ctx, id);
    if (provider.kind === "access") {
      const outcome = await signInByAccess(c.var.ctx, provider, { request: c.req.raw, next, linkTo });
      return showOutcome(c, { provider, outcome });
    }
    const { location, cookie } = await beginSignIn(c.var.ctx, provider, { next, linkTo });
    return redirectTo(location, cookie);
  });
}

async function confirm(c: AppContext, form: URLSearchParams): Promise<Response> {
  const sealed = form.get("proof");
  const [password, code] = [form.get("password"), form.get("code")];
  try {
    const { cookies, next } = await confirmSignIn(c.var.ctx, sealed, { password: password ?? "", code });
    return redirectTo(pathAfter(next, c.var.publicUrl), ...cookies);
  } catch (error) {
    const isUnanswered = error instanceof ApiError && (error.status === 401 || error.status === 429);
    const proof = isUnanswered ? await openProof(c.var.ctx, sealed) : null;
    if (!proof || sealed === null) throw error;
    const { problems, status, headers } = toFormErrors(error);
    const text = words("dashboard-account").sign_in;
    const view = {
      provider: await getProvider(c.var.ctx, proof.provider_id),
      proof: sealed,
      email: proof.email ?? "",
      needs_password: password !== null,
      needs_code: code !== null || isAboutCode(error),
      problems: isAboutCode(error)
        ? { code: problems.code ?? text.enter_code }
        : { password: problems.password ?? text.wrong_password },
    };
    return page(renderConfirmation(view), status, headers);
  }
}

function showOutcome(
  c: AppContext,
  { provider, outcome }: { provider: { id: string; name: string }; outcome: SignInOutcome },
): Response {
  switch (outcome.kind) {
    case "signed_in":
      return redirectTo(pathAfter(outcome.next, c.var.publicUrl), ...outcome.cookies);
    case "confirm":
      return page(renderConfirmation({ ...outcome, provider, problems: {} }));
    case "link":
      return page(renderLink({ ...outcome, provider }));
  }
}

function withEndedAttempt(c: AppContext, response: Response): Response {
  response.headers.append("Set-Cookie", endAttempt(c.var.ctx));
  return response;
}

const again = () => ({ href: "/app/sign-in", text: words("dashboard-account").sign_in.again });

function over(): Response {
  const { expired } = words("dashboard-account").sign_in;
  return page(renderMessage({ title: expired.title, text: expired.text, link: again() }), 400);
}

/** Says to a person what went wrong, and to the operator's log why. */
async function explained(c: AppContext, run: () => Promise<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProviderError) {
      c.var.log.warn("sign-in by a provider failed", { reason: error.reason, finding: error.message });
      const status = error.reason === "unreachable" ? 503 : 400;
      return withEndedAttempt(
        c,
        page(renderMessage({ ...words("dashboard-account").sign_in.reasons[error.reason], link: again() }), status),
      );
    }
    if (!(error instanceof ApiError) || ![400, 403, 409].includes(error.status)) throw error;
    const text = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
    const refusal = renderMessage({ title: words("dashboard-account").sign_in.not_signed_in, text, link: again() });
    return withEndedAttempt(c, page(refusal, error.status));
  }
}
