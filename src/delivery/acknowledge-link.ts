import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { ACKNOWLEDGE, type AlertMessage, OPEN_INCIDENT } from "../domain/alert-messages.ts";
import { acknowledgeToken } from "../platform/acknowledge-tokens.ts";

/**
 * The message with a link that acknowledges its incident in one click, without signing in. The link is a credential: only
 * receivers who may acknowledge get it, never a public channel or a subscriber. `user_id` is the account that it is for.
 */
export function withAcknowledgeLink(
  { settings: { PUBLIC_URL, ROOT_SECRET }, now }: Pick<Scope, "settings" | "now">,
  { event, message, user_id }: { event: NewEvent; message: AlertMessage; user_id: string | null },
): AlertMessage {
  const id = isKnownEvent(event) && "incident_id" in event.data ? event.data.incident_id : null;
  const isUnanswered = message.links.some(({ label }) => label === ACKNOWLEDGE);
  if (id === null || PUBLIC_URL === "" || !isUnanswered) return message;
  const others = message.links.filter(({ label }) => label !== ACKNOWLEDGE);
  const token = acknowledgeToken(ROOT_SECRET, { id, sent_at: now, user_id });
  return {
    ...message,
    links: [
      { label: ACKNOWLEDGE, url: `${PUBLIC_URL}/acknowledge/${token}` },
      ...others,
      { label: OPEN_INCIDENT, url: `${PUBLIC_URL}/app/incidents/${id}` },
    ],
  };
}
