import type { Context } from "hono";
import { notFound } from "../contract/errors.ts";
import { SUBSCRIPTION_TOPICS } from "../contract/events.ts";
import {
  SubscribeInput,
  SubscribeParams,
  SubscribeResponse,
  SubscriberLink,
  SubscriptionFilter,
} from "../contract/subscriber.ts";
import type { SubscriberRecord } from "../data/subscribers/read.ts";
import { readForm } from "../http/body.ts";
import { type AppEnv, type EndpointPolicy, endpoint } from "../http/endpoint.ts";
import { BODY_ERRORS, html, json, jsonBody, LOCKED, PUBLIC_ERRORS } from "../http/responses.ts";
import {
  answerText,
  HTML,
  loadPageForViewer,
  respondWithError,
  respondWithPage,
  textsFor,
  type VisiblePage,
} from "./responses.ts";
import { choiceIn, toFormErrors } from "./subscribe-form.ts";
import {
  type Reader,
  renderManagePage,
  renderNotice,
  renderQuestion,
  renderSubscribePage,
} from "./subscribe-views.tsx";
import {
  changeSubscription,
  confirmSubscription,
  findSubscriberByLink,
  isSubscribed,
  requestSubscription,
  unsubscribe,
} from "./subscriptions.ts";
import type { Texts } from "./texts/texts.ts";
import { buildPageView } from "./view-model.ts";

/** Forms and links of subscriptions; everything works without a script. */
const tags = ["Subscribers"];
const policy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" } satisfies EndpointPolicy;
const changes = { ...policy, rate: "subscribe" } as const;
/** Of documents: people who are refused get one, too. */
const forms = { ...policy, refusalPage: respondWithError } satisfies EndpointPolicy;
const byLink = { ...forms, rate: "click" } as const;

const FORM_ANSWERS = {
  ...PUBLIC_ERRORS,
  400: html("Invalid input"),
  403: html("The page accepts no more subscribers"),
  401: html("The page has a password; its form"),
  404: html("No such page, or no such link"),
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
  503: html("The page is temporarily unavailable"),
};
const ACCEPTED = "If the address is valid, a confirmation link was sent to it.";
const linked = { params: SubscribeParams, query: SubscriberLink };

export const endpoints = [
  endpoint(
    { ...changes, audit: "subscriber.requested" },
    {
      method: "post",
      path: "/status/{slug}/subscribers",
      tags,
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
    forms,
    {
      method: "get",
      path: "/status/{slug}/subscribe",
      tags,
      summary: "Get the subscribe form",
      request: { params: SubscribeParams },
      responses: { 200: html("The form"), ...FORM_ANSWERS },
    },
    (c) =>
      respondWithPage(c, () =>
        onPage(c, c.req.valid("param").slug, async (shown) => showSubscribe(shown, null, new URLSearchParams())),
      ),
  ),

  endpoint(
    { ...forms, rate: "subscribe", audit: "subscriber.requested" },
    {
      method: "post",
      path: "/status/{slug}/subscribe",
      tags,
      summary: "Submit the subscribe form",
      description: "application/x-www-form-urlencoded; programs use the address that takes JSON.",
      request: { params: SubscribeParams },
      responses: { 202: html("Accepted"), ...FORM_ANSWERS },
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
          return page(
            renderNotice({ frame: frameOf(shown) }, textsOf(shown).accepted, textsOf(shown).accepted_text),
            202,
          );
        }),
      ),
  ),

  endpoint(
    forms,
    {
      method: "get",
      path: "/status/{slug}/subscribers/confirm",
      tags,
      summary: "Get the subscription confirmation page",
      description: "Shows a button and changes nothing, because mail programs open links by themselves.",
      request: linked,
      responses: { 200: html("The button"), ...FORM_ANSWERS },
    },
    (c) =>
      byToken(c, "confirm", async ({ shown, subscriber }) =>
        page(
          renderQuestion(
            { frame: frameOf(shown) },
            {
              title: textsOf(shown).confirm,
              text: textsOf(shown).confirm_text(subscriber.endpoint_masked),
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
      tags,
      summary: "Confirm a subscription",
      request: linked,
      responses: { 200: html("Done"), ...FORM_ANSWERS },
    },
    (c) =>
      byToken(c, "confirm", async ({ shown, subscriber }) => {
        await confirmSubscription(c.var.ctx, subscriber);
        return page(renderNotice({ frame: frameOf(shown) }, textsOf(shown).confirmed, textsOf(shown).confirmed_text));
      }),
  ),

  endpoint(
    forms,
    {
      method: "get",
      path: "/status/{slug}/subscribers/manage",
      tags,
      summary: "Subscription settings page",
      request: linked,
      responses: { 200: html("The form"), ...FORM_ANSWERS },
    },
    (c) => byToken(c, "manage", async (found) => showManage(found, c.req.valid("query").token)),
  ),

  endpoint(
    { ...byLink, audit: "subscriber.changed" },
    {
      method: "post",
      path: "/status/{slug}/subscribers/manage",
      tags,
      summary: "Update a subscription",
      request: linked,
      responses: { 200: html("The form"), ...FORM_ANSWERS },
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
    forms,
    {
      method: "get",
      path: "/status/{slug}/subscribers/unsubscribe",
      tags,
      summary: "Get the unsubscribe page",
      request: linked,
      responses: { 200: html("The button"), ...FORM_ANSWERS },
    },
    (c) =>
      toLeave(c, async (reader, subscriber) =>
        page(
          renderQuestion(reader, {
            title: wordsOf(reader).unsubscribe,
            text: wordsOf(reader).unsubscribe_text(subscriber.endpoint_masked),
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
      tags,
      summary: "Unsubscribe",
      description: "Mail clients send this at one click (RFC 8058); the body is ignored.",
      request: linked,
      responses: { 200: html("Done"), ...FORM_ANSWERS },
    },
    (c) =>
      toLeave(c, async (reader, subscriber) => {
        await unsubscribe(c.var.ctx, subscriber);
        return page(renderNotice(reader, wordsOf(reader).unsubscribed, wordsOf(reader).unsubscribed_text));
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
    return show(isItsPage ? { frame: frameOf(shown) } : { frame: null, texts: textsFor(c) }, subscriber);
  });
}

/** A link of a subscription opens its page without the password that visitors have to enter. */
function loadLinked(c: Context<AppEnv>, subscriber: SubscriberRecord | undefined) {
  return loadPageForViewer(c, c.req.param("slug") ?? "", subscriber?.status_page_id);
}

function linkNotFound(shown: VisiblePage): Response {
  const words = textsOf(shown);
  return page(renderNotice({ frame: frameOf(shown) }, words.bad_link, words.bad_link_text), 404);
}

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
  return page(renderSubscribePage(view), problem ? 400 : 200);
}

function showManage(
  { shown, subscriber, problem = null, is_saved = false }: Linked & { problem?: string | null; is_saved?: boolean },
  token: string,
): Response {
  const frame = frameOf(shown);
  if (!isSubscribed(subscriber)) {
    return page(renderNotice({ frame }, textsOf(shown).absent, textsOf(shown).absent_text));
  }
  const { endpoint_masked: endpoint, events, monitor_ids, group_ids } = subscriber;
  const chosen = { events, monitor_ids, group_ids };
  const view = { frame, ...offered(shown), ...chosen, problem, token, endpoint, is_saved };
  return page(renderManagePage(view), problem === null ? 200 : 400);
}

function offered({ payload: { monitors, groups } }: VisiblePage) {
  return { monitors, groups };
}

function textsOf({ viewing }: VisiblePage): Texts["subscribe"] {
  return viewing.texts.subscribe;
}

function wordsOf(reader: Reader): Texts["subscribe"] {
  return (reader.frame ? reader.frame.texts : reader.texts).subscribe;
}

function frameOf({ payload, viewing }: VisiblePage) {
  return buildPageView(payload, viewing).frame;
}

function addressOf(shown: VisiblePage, verb: string, token: string): string {
  return `${shown.viewing.address.base}/subscribers/${verb}?token=${encodeURIComponent(token)}`;
}

/** These addresses contain secrets: responses are not stored and send no referrer. */
function page(body: string, status = 200): Response {
  return answerText(body, { ...HTML.headers, "Content-Type": HTML.type, "Cache-Control": "no-store" }, status);
}
