import type { NewEvent } from "../contract/events.ts";
import type { WebhookProvider } from "../contract/webhook.ts";

/** Where a notification goes and with what credentials. */
export interface WebhookTarget {
  url: string;
  secret: string | null;
  /** The secret before the present one, while both sign. */
  previous_secret: string | null;
  /** What alert_channels names for this event. */
  channel: string | null;
}

/** One attempt to send one event to one target. */
export interface NotifierInput {
  /** The same on every attempt, so that receivers recognise a repeat. */
  delivery_id: string;
  event: NewEvent;
  /** Name under which the target receives the event. */
  event_name: string;
  /** Epoch ms of this attempt. */
  sent_at: number;
}

export interface NotifierRequest {
  method: "POST";
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The code of one provider. It builds the request; the sender of deliveries sends it. */
export interface Notifier {
  provider: WebhookProvider;
  /** Ends the retry schedule after so many attempts; null = uses all of it. */
  attemptsMax: number | null;
  /** The flaw of the target as a sentence that names the wire field, or null. The egress guard judges its address. */
  validate(target: Pick<WebhookTarget, "url" | "secret">): string | null;
  build(notification: NotifierInput, target: WebhookTarget): NotifierRequest;
}
