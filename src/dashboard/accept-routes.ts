import { requireSameOrigin } from "../access/sessions.ts";
import { InvitationLink } from "../contract/dashboard.ts";
import { ApiError, unauthenticated } from "../contract/errors.ts";
import { InvitationAccept } from "../contract/member.ts";
import { explainMembership } from "../domain/roles.ts";
import { acceptInvitation, type InvitationState, loadInvitation } from "../features/members/accept.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, type ErrorPage, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { formatMoment } from "../lib/date-format.ts";
import { toIso } from "../platform/clock.ts";
import { type FormErrors, type Problems, parseFields, toFormErrors } from "./form.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "./responses.ts";
import { sealEntered, signInByForm } from "./second-step.ts";
import { type NoticeView, renderMessage } from "./views/frame.tsx";
import { type InvitationView, renderInvitation } from "./views/invitation.tsx";
import { words } from "./words.ts";

type OpenOffer = Extract<InvitationState, { state: "open" }>;

const tags = ["Dashboard"];
const query = InvitationLink;
const GONE = {
  404: html("No such invitation"),
  410: html("The invitation is accepted or expired"),
};
const refusals = {
  ...ERROR_RESPONSES,
  401: html("The password is wrong, or a credential is"),
  403: html("Signed in with another account, or not sent from this service's own pages"),
};
const elsewhere = { description: "Done; redirect" };

/** The form keeps what was entered, also when there were too many attempts. */
const onForm: ErrorPage = async (c, refusal) => {
  if (refusal?.status !== 429) return renderErrorPage(c, refusal);
  const offer = await loadInvitation(c.var.ctx, tokenOf(c));
  if (offer?.state !== "open") return renderErrorPage(c, refusal);
  const form = await readForm(c.req.raw).catch(() => new URLSearchParams());
  return show(c, offer, { name: form.get("name") ?? "", refused: toFormErrors(refusal) });
};

const policy = { at: ["root"], auth: "optional", permission: null } satisfies Partial<EndpointPolicy>;

export const endpoints = [
  endpoint(
    { ...policy, audit: null, rate: "click", refusalPage: renderErrorPage },
    {
      method: "get",
      path: "/app/accept",
      tags,
      summary: "Get the invitation page",
      description: "Shows the invitation and changes nothing, because mail programs open links by themselves.",
      request: { query },
      responses: { 200: html("The invitation, with a form to accept it"), ...GONE, ...refusals },
    },
    (c) => byToken(c, async (offer) => show(c, offer)),
  ),

  endpoint(
    { ...policy, audit: "member.joined", rate: "accept", refusalPage: onForm },
    {
      method: "post",
      path: "/app/accept",
      tags,
      summary: "Submit the invitation form",
      description: "application/x-www-form-urlencoded; programs use POST /status-pages/members/accept.",
      request: { query },
      responses: { 303: elsewhere, ...GONE, 409: html("Already a member"), ...refusals },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      return byToken(c, (offer) => accept(c, offer, form));
    },
  ),

  endpoint(
    { ...policy, audit: "session.created", rate: "sign_in", refusalPage: onForm },
    {
      method: "post",
      path: "/app/accept/sign-in",
      tags,
      summary: "Sign in as the invited person",
      request: { query },
      responses: { 303: elsewhere, ...GONE, ...refusals },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      const form = await readForm(c.req.raw);
      return byToken(c, async (offer) => {
        form.set("email", offer.invitation.email);
        try {
          const { cookies } = await signInByForm(c.var.ctx, form);
          return redirectTo(addressOf(c), ...cookies);
        } catch (error) {
          const refused = toFormErrors(error);
          const entered = await sealEntered(c.var.ctx, form, error);
          if (refused.status === 401 && !entered)
            refused.problems = { password: words("dashboard-account").sign_in.wrong_password };
          return show(c, offer, { step: "sign_in", refused, entered });
        }
      });
    },
  ),
];

async function accept(c: AppContext, offer: OpenOffer, form: URLSearchParams): Promise<Response> {
  const step = stepFor(c, offer);
  // A user who signed out in another window sees the form again.
  if (step === "sign_in") return show(c, offer, { step, refused: toFormErrors(unauthenticated()), problems: {} });
  if (step === "change_account" || step === "open_mail") return show(c, offer, { step });
  form.set("token", tokenOf(c));
  const names = step === "accept" ? ["token"] : ["token", "name", "password"];
  try {
    const { cookies } = await acceptInvitation(c.var.ctx, parseFields(InvitationAccept, form, names));
    return redirectTo(`/app?joined=${offer.page.id}`, ...cookies);
  } catch (error) {
    // Another request used the invitation first: the page states the result.
    if (error instanceof ApiError && (error.status === 401 || error.details?.[0]?.path === "token")) {
      return redirectTo(addressOf(c));
    }
    return show(c, offer, { step, name: form.get("name") ?? "", refused: toFormErrors(error) });
  }
}

async function byToken(c: AppContext, run: (offer: OpenOffer) => Promise<Response>): Promise<Response> {
  const offer = await loadInvitation(c.var.ctx, tokenOf(c));
  if (offer?.state === "open") return run(offer);
  return page(renderMessage(whatBecameOf(offer)), offer ? 410 : 404);
}

interface Entered {
  step?: InvitationView["step"];
  name?: string;
  refused?: FormErrors;
  problems?: Problems;
  entered?: string | null;
}

function show(c: AppContext, offer: OpenOffer, entered: Entered = {}): Response {
  const { invitation, inviter } = offer;
  const text = words("dashboard-account").invitation;
  const user = userOf(c);
  const step = entered.step ?? stepFor(c, offer);
  const view: InvitationView = {
    page_name: offer.page.name,
    inviter: inviter ? text.inviter({ name: inviter.name, email: inviter.email }) : text.member,
    role: invitation.role,
    abilities: explainMembership(invitation),
    expires: {
      iso: toIso(invitation.expires_at),
      text: formatMoment(invitation.expires_at, offer.page.timezone),
    },
    email: invitation.email,
    href: addressOf(c),
    sign_in_href: addressOf(c, "/sign-in"),
    step,
    signed_in_as: user?.email ?? null,
    name: entered.name ?? invitation.name ?? "",
    problems: entered.problems ?? entered.refused?.problems ?? {},
    entered: entered.entered ?? null,
    public_url: c.var.publicUrl,
  };
  const isRejected = (step === "change_account" || step === "open_mail") && c.req.method === "POST";
  return page(renderInvitation(view), isRejected ? 403 : entered.refused?.status, entered.refused?.headers);
}

function stepFor(c: AppContext, { invitation, has_account, is_from_mail }: OpenOffer): InvitationView["step"] {
  const user = userOf(c);
  if (user && user.email !== invitation.email) return "change_account";
  if (user?.is_verified) return "accept";
  if (has_account) return "sign_in";
  return is_from_mail ? "open_account" : "open_mail";
}

function whatBecameOf(offer: InvitationState | undefined): NoticeView {
  const text = words("dashboard-account").invitation;
  switch (offer?.state) {
    case "used":
      return {
        ...text.used,
        link: { href: "/app", text: text.to_pages },
      };
    case "expired":
      return text.expired;
    default:
      return text.unknown;
  }
}

function userOf(c: AppContext) {
  const { principal } = c.var.ctx;
  return principal.kind === "user" ? principal : undefined;
}

function tokenOf(c: AppContext): string {
  return c.req.query("token") ?? "";
}

function addressOf(c: AppContext, rest = ""): string {
  return `/app/accept${rest}?token=${encodeURIComponent(tokenOf(c))}`;
}
