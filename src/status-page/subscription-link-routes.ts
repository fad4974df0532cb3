import type { Context } from "hono";
import { SubscribeParams, SubscriberLink, SubscriptionFilter } from "../contract/subscriber.ts";
import type { SubscriberRecord } from "../data/subscribers/read.ts";
import { readForm } from "../http/body.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import type { PageTexts } from "../language/texts.ts";
import { isSubscribed } from "../outbox/subscription-request.ts";
import { textsFor } from "./messages.ts";
import { loadPageForViewer, respondWithPage, type VisiblePage } from "./responses.ts";
import { choiceIn, toFormErrors } from "./subscribe-form.ts";
import { type Reader, renderManagePage, renderNotice, renderQuestion } from "./subscribe-views.tsx";
import {
  FORM_POLICY,
  frameOf,
  offered,
  respondWithDocument,
  SUBSCRIPTION_ANSWERS,
  SUBSCRIPTION_TAGS,
  textsOf,
} from "./subscription-pages.ts";
import { changeSubscription, confirmSubscription, findSubscriberByLink, unsubscribe } from "./subscriptions.ts";

/** What the links in messages to subscribers lead to; everything works without a script. */
const byLink = { ...FORM_POLICY, rate: "click" } as const;
const linked = { params: SubscribeParams, query: SubscriberLink };

export const endpoints = [
  endpoint(
    FORM_POLICY,
    {
      method: "get",
      path: "/status/{slug}/subscribers/confirm",
      tags: SUBSCRIPTION_TAGS,
      summary: "Get the subscription confirmation page",
      description: "Shows a button and changes nothing, because mail programs open links by themselves.",
      request: linked,
      responses: { 200: html("The button"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      byToken(c, "confirm", async ({ shown, subscriber }) =>
        respondWithDocument(
          shown.payload.page,
          renderQuestion(
            { frame: frameOf(shown) },
            {
              title: textsOf(shown).confirm,
              text: textsOf(shown).confirm_text({ address: subscriber.endpoint_masked }),
              action: addressOf(shown, "confirm", c.req.valid("query").token),
              button: textsOf(shown).confirm_button,
            },
          ),
        ),
      ),
  ),

  endpoint(
    { ...byLink, audit: "subscriber.confirmed" },
    {
      method: "post",
      path: "/status/{slug}/subscribers/confirm",
      tags: SUBSCRIPTION_TAGS,
      summary: "Confirm a subscription",
      request: linked,
      responses: { 200: html("Done"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      byToken(c, "confirm", async ({ shown, subscriber }) => {
        await confirmSubscription(c.var.ctx, subscriber);
        return respondWithDocument(
          shown.payload.page,
          renderNotice({ frame: frameOf(shown) }, textsOf(shown).confirmed, textsOf(shown).confirmed_text),
        );
      }),
  ),

  endpoint(
    FORM_POLICY,
    {
      method: "get",
      path: "/status/{slug}/subscribers/manage",
      tags: SUBSCRIPTION_TAGS,
      summary: "Subscription settings page",
      request: linked,
      responses: { 200: html("The form"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) => byToken(c, "manage", async (found) => showManage(found, c.req.valid("query").token)),
  ),

  endpoint(
    { ...byLink, audit: "subscriber.changed" },
    {
      method: "post",
      path: "/status/{slug}/subscribers/manage",
      tags: SUBSCRIPTION_TAGS,
      summary: "Update a subscription",
      request: linked,
      responses: { 200: html("The form"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      byToken(c, "manage", async ({ shown, subscriber }) => {
        const { token } = c.req.valid("query");
        const choice = SubscriptionFilter.safeParse(choiceIn(await readForm(c.req.raw)));
        if (choice.data?.events?.length === 0) {
          return showManage({ shown, subscriber, problem: textsOf(shown).no_topic }, token);
        }
        if (!choice.success) return showManage({ shown, subscriber, problem: textsOf(shown).invalid }, token);
        let changed = subscriber;
        const problem = await toFormErrors(async () => {
          changed = await changeSubscription(c.var.ctx, shown.payload, { subscriber, choice: choice.data });
        });
        return showManage(
          { shown, subscriber: changed, problem: problem && textsOf(shown).invalid, is_saved: problem === null },
          token,
        );
      }),
  ),

  endpoint(
    FORM_POLICY,
    {
      method: "get",
      path: "/status/{slug}/subscribers/unsubscribe",
      tags: SUBSCRIPTION_TAGS,
      summary: "Get the unsubscribe page",
      request: linked,
      responses: { 200: html("The button"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      toLeave(c, async (reader, subscriber) =>
        respondWithDocument(
          reader.frame,
          renderQuestion(reader, {
            title: wordsOf(reader).unsubscribe,
            text: wordsOf(reader).unsubscribe_text({ address: subscriber.endpoint_masked }),
            action: `?token=${encodeURIComponent(c.req.valid("query").token)}`,
            button: wordsOf(reader).unsubscribe,
          }),
        ),
      ),
  ),

  endpoint(
    { ...byLink, audit: "subscriber.unsubscribed" },
    {
      method: "post",
      path: "/status/{slug}/subscribers/unsubscribe",
      tags: SUBSCRIPTION_TAGS,
      summary: "Unsubscribe",
      description: "Mail clients send this at one click (RFC 8058); the body is ignored.",
      request: linked,
      responses: { 200: html("Done"), ...SUBSCRIPTION_ANSWERS },
    },
    (c) =>
      toLeave(c, async (reader, subscriber) => {
        await unsubscribe(c.var.ctx, subscriber);
        return respondWithDocument(
          reader.frame,
          renderNotice(reader, wordsOf(reader).unsubscribed, wordsOf(reader).unsubscribed_text),
        );
      }),
  ),
];

interface Linked {
  shown: VisiblePage;
  subscriber: SubscriberRecord;
}

/** A link is a bearer credential; an invalid one gives no reason. */
function byToken(c: Context<AppEnv>, kind: "confirm" | "manage", show: (found: Linked) => Promise<Response>) {
  return respondWithPage(c, async () => {
    const link = { kind, token: c.req.query("token") ?? "" };
    const subscriber = await findSubscriberByLink(c.var.ctx, link);
    const shown = await loadLinked(c, subscriber);
    if (!shown) return undefined;
    const isItsPage = subscriber?.status_page_id === shown.payload.page.id;
    return isItsPage ? show({ shown, subscriber }) : linkNotFound(shown);
  });
}

/** People can leave by every link that we ever sent them, though the page may be elsewhere by now, or hidden. */
function toLeave(c: Context<AppEnv>, show: (reader: Reader, subscriber: SubscriberRecord) => Promise<Response>) {
  return respondWithPage(c, async () => {
    const link = { kind: "manage", token: c.req.query("token") ?? "" } as const;
    const subscriber = await findSubscriberByLink(c.var.ctx, link);
    const shown = await loadLinked(c, subscriber);
    if (!subscriber) return shown && linkNotFound(shown);
    const isItsPage = shown?.payload.page.id === subscriber.status_page_id;
    return show(isItsPage ? { frame: frameOf(shown) } : { frame: null, texts: await textsFor(c) }, subscriber);
  });
}

/** A link of a subscription opens its page without the password that visitors have to enter. */
function loadLinked(c: Context<AppEnv>, subscriber: SubscriberRecord | undefined) {
  return loadPageForViewer(c, c.req.param("slug") ?? "", subscriber?.status_page_id);
}

function linkNotFound(shown: VisiblePage): Response {
  const words = textsOf(shown);
  return respondWithDocument(
    shown.payload.page,
    renderNotice({ frame: frameOf(shown) }, words.bad_link, words.bad_link_text),
    404,
  );
}

function showManage(
  { shown, subscriber, problem = null, is_saved = false }: Linked & { problem?: string | null; is_saved?: boolean },
  token: string,
): Response {
  const frame = frameOf(shown);
  if (!isSubscribed(subscriber)) {
    return respondWithDocument(frame, renderNotice({ frame }, textsOf(shown).absent, textsOf(shown).absent_text));
  }
  const { endpoint_masked: endpoint, events, monitor_ids, group_ids } = subscriber;
  const chosen = { events, monitor_ids, group_ids };
  const view = { frame, ...offered(shown), ...chosen, problem, token, endpoint, is_saved };
  return respondWithDocument(frame, renderManagePage(view), problem === null ? 200 : 400);
}

function wordsOf(reader: Reader): PageTexts["subscribe"] {
  return (reader.frame ? reader.frame.texts : reader.texts).subscribe;
}

function addressOf(shown: VisiblePage, verb: string, token: string): string {
  return `${shown.viewing.address.base}/subscribers/${verb}?token=${encodeURIComponent(token)}`;
}
