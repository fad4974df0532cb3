import { z } from "zod";
import { answerConsent, findConsentByLink } from "../features/mail-consents/service.ts";
import { readForm } from "../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { ERROR_RESPONSES, page, renderErrorPage } from "./responses.ts";
import { renderMessage } from "./views/frame.tsx";
import { renderMailConsent } from "./views/mail-consent.tsx";
import { words } from "./words.ts";

/** The link in mail to somebody without an account. Mail programs post to it on one click (RFC 8058). */
const tags = ["Dashboard"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  rate: "click",
  refusalPage: renderErrorPage,
} satisfies Partial<EndpointPolicy>;
const request = { params: z.object({ token: z.string() }) };
const responses = { 200: html("What the reader answered"), 410: html("The link is invalid"), ...ERROR_RESPONSES };
const path = "/mail-consent/{token}";

export const endpoints = [
  endpoint(
    { ...policy, audit: null },
    {
      method: "get",
      path,
      tags,
      summary: "Question of a mailed link whether alerts are wanted",
      description: "Shows a form and changes nothing, because mail programs open links by themselves.",
      request,
      responses,
    },
    (c) => answer(c, false),
  ),

  endpoint(
    { ...policy, audit: "mail_consent.answered" },
    {
      method: "post",
      path,
      tags,
      summary: "Agree to alerts by mail, or stop them, by a mailed link",
      description: "application/x-www-form-urlencoded. Without the field `agree` they stop (RFC 8058).",
      request,
      responses,
    },
    (c) => answer(c, true),
  ),
];

async function answer(c: AppContext, isAnswer: boolean): Promise<Response> {
  const { ctx } = c.var;
  const token = c.req.param("token") ?? "";
  const consent = await findConsentByLink(ctx, token);
  if (!consent) {
    const text = words("dashboard-frame").mail_consent;
    return page(renderMessage({ title: text.invalid, text: text.invalid_hint }), 410);
  }
  const given = isAnswer
    ? await answerConsent(ctx, consent, (await readForm(c.req.raw)).has("agree") ? "agreed" : "stopped")
    : consent;
  return page(renderMailConsent({ ...given, href: `/mail-consent/${encodeURIComponent(token)}` }));
}
