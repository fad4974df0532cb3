import type { NewEvent } from "../contract/events.ts";
import type { Envelope } from "../contract/webhook.ts";

/** The event as a generic webhook receives it, under the name of its filter. */
export function envelopeOf({ event, event_name }: { event: NewEvent; event_name: string }): Envelope {
  return {
    id: event.id,
    user_id: event.owner_id,
    event: event_name,
    data: event.data,
    created_at: new Date(event.created_at).toISOString(),
    status_page_id: event.status_page_id,
    sequence: event.created_at,
  };
}
