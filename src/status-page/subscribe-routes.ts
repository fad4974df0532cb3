import type { Context } from "hono";
import { notFound } from "../contract/errors.ts";
import { SUBSCRIPTION_TOPICS } from "../contract/events.ts";
import { SubscribeInput, SubscribeParams, SubscribeResponse } from "../contract/subscriber.ts";
import { readForm } from "../http/body.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import { BODY_ERRORS, html, json, jsonBody, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import { loadPageForViewer, respondWithPage, type VisiblePage } from "./responses.ts";
import { choiceIn, toFormErrors } from "./subscribe-form.ts";
import { renderNotice, renderSubscribePage } from "./subscribe-views.tsx";
import {
  FORM_POLICY,
  frameOf,
  offered,
  respondWithDocument,
  SUBSCRIBE_POLICY,
  SUBSCRIPTION_ANSWERS,
  SUBSCRIPTION_TAGS,
  textsOf,
} from "./subscription-pages.ts";
import { requestSubscription } from "./subscriptions.ts";

/** Asking for updates, by a form, which works without a script, or as JSON. */
const ACCEPTED = "If the address is valid, a confirmation link was sent to it.";

export const endpoints = [
  endpoint(
    { ...SUBSCRIBE_POLICY, audit: "subscriber.requested" },
    {
      method: "post",
      path: "/status/{slug}/subscribers",
      tags: SUBSCRIPTION_TAGS,
      summary: "Subscribe to updates of a public page",
      description:
        "The address gets a link, good for one day, by which it has to be confirmed. The answer is the same whether it is known, new, or has been asked too often (5 times a day).",
      request: { params: SubscribeParams, body: jsonBody(SubscribeInput) },
      responses: {
        202: json("Accepted", SubscribeResponse),
        ...PUBLIC_ERRORS,
        403: { ...BODY_ERRORS[409], description: "The page accepts no more subscribers (code page_full)" },
        401: LOCKED,
        404: { ...BODY_ERRORS[409], description: "No such page" },
      },
    },
    async (c) => {
      const shown = await requirePublicPage(c, c.req.valid("param").slug);
      await requestSubscription(c.var.ctx, shown.payload, c.req.valid("json"));
      return c.json({ message: ACCEPTED }, 202);
    },
  ),

  endpoint(
    FORM_POLICY,
    {
      method: "get",
      path: "/status/{slug}/subscribe",
      tags: SUBSCRIPTION_TAGS,
      summary: "Get the subscribe form",
      request: { params: SubscribeParams },
      responses: { 200: html("The form"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      respondWithPage(c, () =>
        onPage(c, c.req.valid("param").slug, async (shown) => showSubscribe(shown, null, new URLSearchParams())),
      ),
  ),

  endpoint(
    { ...FORM_POLICY, rate: "subscribe", audit: "subscriber.requested" },
    {
      method: "post",
      path: "/status/{slug}/subscribe",
      tags: SUBSCRIPTION_TAGS,
      summary: "Submit the subscribe form",
      description: "application/x-www-form-urlencoded; programs use the address that takes JSON.",
      request: { params: SubscribeParams },
      responses: { 202: html("Accepted"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      respondWithPage(c, () =>
        onPage(c, c.req.valid("param").slug, async (shown) => {
          const form = await readForm(c.req.raw);
          const input = SubscribeInput.safeParse({
            channel: form.get("channel"),
            endpoint: form.get("endpoint"),
            ...choiceIn(form),
          });
          const isMail = form.get("channel") === "email";
          if (!input.success)
            return showSubscribe(shown, textsOf(shown)[isMail ? "email_wrong" : "webhook_wrong"], form);
          const problem = await toFormErrors(() => requestSubscription(c.var.ctx, shown.payload, input.data));
          if (problem !== null) return showSubscribe(shown, textsOf(shown).invalid, form);
          return respondWithDocument(
            shown.payload.page,
            renderNotice({ frame: frameOf(shown) }, textsOf(shown).accepted, textsOf(shown).accepted_text),
            202,
          );
        }),
      ),
  ),
];

async function onPage(
  c: Context<AppEnv>,
  slug: string,
  show: (shown: VisiblePage) => Promise<Response>,
): Promise<Response | undefined> {
  const shown = await loadPageForViewer(c, slug);
  return shown && show(shown);
}

async function requirePublicPage(c: Context<AppEnv>, slug: string): Promise<VisiblePage> {
  const shown = await loadPageForViewer(c, slug);
  if (!shown) throw notFound("status page");
  return shown;
}

/** The form, with what was sent before. */
function showSubscribe(shown: VisiblePage, problem: string | null, form: URLSearchParams): Response {
  const { monitor_ids, group_ids, events } = choiceIn(form);
  const sent = {
    channel: form.get("channel") ?? "email",
    endpoint: form.get("endpoint") ?? "",
    events: SUBSCRIPTION_TOPICS.filter((topic) => events.includes(topic)),
    chosen: [...monitor_ids, ...group_ids],
  };
  const view = { frame: frameOf(shown), ...offered(shown), ...sent, problem };
  return respondWithDocument(view.frame, renderSubscribePage(view), problem ? 400 : 200);
}
