import { EVENT_EXAMPLES } from "../contract/event-examples.ts";
import { type EventName, parseEvent } from "../contract/events.ts";
import { composeAlert } from "../domain/alert-messages.ts";
import type { NotifierInput } from "./port.ts";

/** What an attempt about an example of an event would be made from. */
export function exampleInputOf(name: EventName): NotifierInput {
  const event = parseEvent({
    id: "example",
    owner_id: "example",
    status_page_id: null,
    monitor_id: null,
    name,
    classification: "public",
    data: EVENT_EXAMPLES[name],
    created_at: Date.parse("2026-01-02T03:04:05.000Z"),
  });
  return {
    delivery_id: "00000000-0000-5000-8000-000000000000",
    event,
    event_name: name,
    sent_at: event.created_at,
    monitor: { tags: ["eu", "payments"], external_key: "shop" },
    message: composeAlert(event, { public_url: "https://vigil.example", timezone: "UTC", page_name: "Example" }),
    services: {
      telegram_api_base: "",
      telegram_bot_token: "",
      discord_api_base: "",
      discord_bot_token: "",
      slack_answers: false,
    },
  };
}
