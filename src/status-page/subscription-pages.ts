import type { EndpointPolicy } from "../http/endpoint.ts";
import { BODY_ERRORS, html, PUBLIC_ERRORS } from "../http/responses.ts";
import type { PageTexts } from "../language/texts.ts";
import { createFormats } from "./format.ts";
import { buildFrame, type FrameView } from "./frame-view.ts";
import { answerText, htmlOf, respondWithError } from "./messages.ts";
import type { VisiblePage } from "./responses.ts";
import type { ThemeChoice } from "./theme.ts";

/** What the documents of subscriptions have in common. */
export const SUBSCRIPTION_TAGS = ["Subscribers"];
const policy = { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" } satisfies EndpointPolicy;
export const SUBSCRIBE_POLICY = { ...policy, rate: "subscribe" } as const;
/** Of documents: people who are refused get one, too. */
export const FORM_POLICY = { ...policy, refusalPage: respondWithError } satisfies EndpointPolicy;

export const SUBSCRIPTION_ANSWERS = {
  ...PUBLIC_ERRORS,
  400: html("Invalid input"),
  403: html("The page accepts no more subscribers"),
  401: html("The page has a password; its form"),
  404: html("No such page, or no such link"),
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
  503: html("The page is temporarily unavailable"),
};

export function offered({ payload: { monitors, groups } }: VisiblePage) {
  return { monitors, groups };
}

export function textsOf({ viewing }: VisiblePage): PageTexts["subscribe"] {
  return viewing.texts.subscribe;
}

export function frameOf({ payload, viewing }: VisiblePage): FrameView {
  return buildFrame(payload, viewing, createFormats(payload.page.timezone, viewing.texts));
}

/** These addresses contain secrets: responses are not stored and send no referrer. */
export function respondWithDocument(choice: ThemeChoice | null, body: string, status = 200): Response {
  const { type, headers } = htmlOf(choice);
  return answerText(body, { ...headers, "Content-Type": type, "Cache-Control": "no-store" }, status);
}
