import type { Envelope, WebhookProvider } from "../contract/webhook.ts";

/** Where a notification goes and with what credentials. */
export interface WebhookTarget {
  url: string;
  secret: string | null;
  /** The secret before the present one, while it still signs along. */
  previous_secret: string | null;
  /** What alert_channels names for this event. */
  channel: string | null;
}

/** One attempt at telling one target of one event. */
export interface NotifierInput {
  /** The same on every attempt, so that receivers can tell a repeat. */
  delivery_id: string;
  envelope: Envelope;
  /** Epoch ms of this attempt. */
  sent_at: number;
}

export interface NotifierRequest {
  method: "POST";
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** One kind of receiver. It says what to send; the delivery's sender sends it. */
export interface Notifier {
  provider: WebhookProvider;
  /** Gives up after so many attempts although the schedule goes on; null = follows the schedule to its end. */
  attemptsMax: number | null;
  /** What is wrong with the target as a sentence naming the wire field, or null. Whether it may be reached is not judged here. */
  validate(target: Pick<WebhookTarget, "url" | "secret">): string | null;
  build(notification: NotifierInput, target: WebhookTarget): NotifierRequest;
}
