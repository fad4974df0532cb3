import { EVENT_EXAMPLES } from "../../src/contract/event-examples.ts";
import { isEventName, parseEvent } from "../../src/contract/events.ts";
import type { StoredEvent } from "../../src/data/events/read.ts";

type Fields = Partial<Omit<StoredEvent, "name" | "data">> & { name?: string; data?: Record<string, unknown> };

/** An event with the example data of its name, some of it replaced. */
export function exampleEvent({ name = "monitor.down", data, ...fields }: Fields = {}): StoredEvent {
  const event = parseEvent({
    id: "0199c0de-0000-5000-8000-000000000002",
    owner_id: "0199c0de-0000-7000-8000-000000000003",
    status_page_id: null,
    monitor_id: null,
    classification: "public",
    created_at: Date.UTC(2026, 0, 2, 3, 4, 5),
    ...fields,
    name,
    data: { ...(isEventName(name) ? EVENT_EXAMPLES[name] : {}), ...data },
  });
  return { ...event, processed_at: fields.processed_at ?? null };
}
