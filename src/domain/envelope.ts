import type { NewEvent } from "../contract/events.ts";
import type { Envelope } from "../contract/webhook.ts";

interface Enclosed extends Pick<Envelope, "acknowledge_url"> {
  event: NewEvent;
  event_name: string;
}

/** The event as a generic webhook receives it, under the name of its filter. */
export function envelopeOf({ event, event_name, acknowledge_url }: Enclosed): Envelope {
  return {
    id: event.id,
    user_id: event.owner_id,
    event: event_name,
    data: event.data,
    created_at: new Date(event.created_at).toISOString(),
    status_page_id: event.status_page_id,
    sequence: event.created_at,
    ...(acknowledge_url !== undefined && { acknowledge_url }),
  };
}

interface Signed {
  delivery_id: string;
  /** Epoch ms. */
  sent_at: number;
  /** Null where the webhook has no secret. */
  signature: string | null;
}

/** The headers under which a generic webhook receives it. */
export function envelopeHeaders({ delivery_id, sent_at, signature }: Signed): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Vigil-Webhooks/1",
    "webhook-id": delivery_id,
    "webhook-timestamp": timestampOf(sent_at),
    ...(signature !== null && { "webhook-signature": signature }),
  };
}

/** In seconds, as it is signed. */
export function timestampOf(sentAt: number): string {
  return String(Math.floor(sentAt / 1000));
}
