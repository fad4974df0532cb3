import { z } from "zod";
import { acknowledgeByLink, findLinkedAlert } from "../features/escalations/service.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { ERROR_RESPONSES, page, renderErrorPage } from "./responses.ts";
import { renderAcknowledge } from "./views/acknowledge.tsx";
import { renderMessage } from "./views/frame.tsx";
import { words } from "./words.ts";

/** The link of an on-call notification. It works without signing in, from any phone. */
const tags = ["Dashboard"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  rate: "click",
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;
const params = z.object({ token: z.string() });
const responses = { 200: html("The incident"), 410: html("The link is invalid"), ...ERROR_RESPONSES };

export const endpoints = [
  endpoint(
    { ...policy, audit: null },
    {
      method: "get",
      path: "/acknowledge/{token}",
      tags,
      summary: "Incident of an acknowledge link",
      description: "Shows a button and changes nothing, because mail programs open links by themselves.",
      request: { params },
      responses,
    },
    (c) => show(c, tokenOf(c)),
  ),

  endpoint(
    { ...policy, audit: "incident.acknowledged" },
    {
      method: "post",
      path: "/acknowledge/{token}",
      tags,
      summary: "Acknowledge an incident by link",
      request: { params },
      responses,
    },
    async (c) => {
      const linked = await findLinkedAlert(c.var.ctx, tokenOf(c));
      if (linked) await acknowledgeByLink(c.var.ctx, linked);
      return show(c, tokenOf(c));
    },
  ),
];

const tokenOf = (c: AppContext) => c.req.param("token") ?? "";

async function show(c: AppContext, token: string): Promise<Response> {
  const linked = await findLinkedAlert(c.var.ctx, token);
  if (!linked) {
    const { title, hint } = words("dashboard-alerts").acknowledge.invalid;
    return page(renderMessage({ title, text: hint }), 410);
  }
  return page(renderAcknowledge({ ...linked, href: `/acknowledge/${encodeURIComponent(token)}` }));
}
