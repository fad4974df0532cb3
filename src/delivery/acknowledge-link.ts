import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { ACKNOWLEDGE, type AlertMessage, OPEN_INCIDENT } from "../domain/alert-messages.ts";
import { acknowledgeToken } from "../platform/acknowledge-tokens.ts";
import type { Settings } from "../platform/settings.ts";

/**
 * The message with a link that acknowledges its incident in one click, without signing in. The link is a credential: only
 * receivers who may acknowledge get it, never a public channel or a subscriber.
 */
export function withAcknowledgeLink(
  { PUBLIC_URL, ROOT_SECRET }: Pick<Settings, "PUBLIC_URL" | "ROOT_SECRET">,
  event: NewEvent,
  message: AlertMessage,
): AlertMessage {
  const id = isKnownEvent(event) && "incident_id" in event.data ? event.data.incident_id : null;
  const isUnanswered = message.links.some(({ label }) => label === ACKNOWLEDGE);
  if (id === null || PUBLIC_URL === "" || !isUnanswered) return message;
  const others = message.links.filter(({ label }) => label !== ACKNOWLEDGE);
  return {
    ...message,
    links: [
      { label: ACKNOWLEDGE, url: `${PUBLIC_URL}/acknowledge/${acknowledgeToken(ROOT_SECRET, id)}` },
      ...others,
      { label: OPEN_INCIDENT, url: `${PUBLIC_URL}/app/incidents/${id}` },
    ],
  };
}

/** A text as it is recorded: whoever reads it may be allowed less than the receiver. */
export function withoutAcknowledgeLinks(text: string): string {
  return text.replace(/(\/acknowledge\/)[\w.-]+/g, "$1***");
}
