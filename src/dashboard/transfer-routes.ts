import { z } from "zod";
import { ApiError } from "../contract/errors.ts";
import { acceptPage, declinePage, findOffer } from "../features/page-transfers/service.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { ERROR_RESPONSES, page, redirectTo, renderErrorPage } from "./responses.ts";
import { renderMessage } from "./views/frame.tsx";
import { renderTransfer } from "./views/transfer.tsx";
import { words } from "./words.ts";

/** The link by which the receiver of a status page accepts it. */
const tags = ["Dashboard"];
const policy = {
  at: ["root"],
  auth: "optional",
  permission: null,
  rate: "accept",
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;
const query = z.object({ token: z.string().optional() });
const elsewhere = { description: "To the dashboard, or to the form that signs in" };
const responses = {
  200: html("The offer"),
  303: elsewhere,
  409: html("A key of the page is taken"),
  410: html("The link is invalid"),
  ...ERROR_RESPONSES,
};

export const endpoints = [
  endpoint(
    { ...policy, audit: null },
    {
      method: "get",
      path: "/app/transfer",
      tags,
      summary: "Offer of a status page",
      description: "Shows a button and changes nothing, because mail programs open links by themselves.",
      request: { query },
      responses,
    },
    (c) => show(c, null),
  ),

  endpoint(
    { ...policy, audit: "page.transferred" },
    {
      method: "post",
      path: "/app/transfer",
      tags,
      summary: "Accept a status page by link",
      request: { query },
      responses,
    },
    (c) =>
      answer(c, async (token) => {
        await acceptPage(c.var.ctx, { token });
        return redirectTo("/app");
      }),
  ),

  endpoint(
    { ...policy, audit: "page.transfer_declined" },
    {
      method: "post",
      path: "/app/transfer/decline",
      tags,
      summary: "Decline a status page by link",
      request: { query },
      responses: { ...responses, 200: html("It is declined") },
    },
    (c) =>
      answer(c, async (token) => {
        await declinePage(c.var.ctx, { token });
        const { title, text, link } = words("dashboard-account").transfer.declined;
        return page(renderMessage({ title, text, link: { href: "/app", text: link } }));
      }),
  ),
];

/** A refusal is the offer again, with what is wrong. */
async function answer(c: AppContext, run: (token: string) => Promise<Response>): Promise<Response> {
  if (c.var.ctx.principal.kind !== "user") return show(c, null);
  try {
    return await run(tokenOf(c));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 503) throw error;
    return show(c, error);
  }
}

const tokenOf = (c: AppContext) => c.req.query("token") ?? "";

async function show(c: AppContext, refused: ApiError | null): Promise<Response> {
  const token = tokenOf(c);
  const address = (path: string) => `${path}?token=${encodeURIComponent(token)}`;
  const href = address("/app/transfer");
  const { principal } = c.var.ctx;
  if (principal.kind !== "user") return redirectTo(`/app/sign-in?next=${encodeURIComponent(href)}`);
  const offer = await findOffer(c.var.ctx, token);
  if (!offer) return page(renderMessage(words("dashboard-account").transfer.gone), 410);
  if (offer.transfer.to_user_id !== principal.user_id) {
    return page(renderMessage(words("dashboard-account").transfer.foreign), 403);
  }
  const problem = refused && `${refused.message.charAt(0).toUpperCase()}${refused.message.slice(1)}.`;
  const view = {
    page_name: offer.page.name,
    owner: offer.owner_email,
    href,
    decline_href: address("/app/transfer/decline"),
    problem,
  };
  return page(renderTransfer(view), refused?.status);
}
