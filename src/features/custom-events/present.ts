import type { z } from "zod";
import type { CustomEvent } from "../../contract/event-rule.ts";
import type { EventLogRecord } from "../../data/event-rules/read.ts";
import { toIso } from "../../platform/clock.ts";

export function presentEvent(entry: EventLogRecord): z.infer<typeof CustomEvent> {
  return {
    id: entry.id,
    status_page_id: entry.status_page_id,
    event_name: entry.event_name,
    classification: entry.classification,
    title: entry.title,
    description: entry.description,
    monitor_id: entry.monitor_id,
    agent_id: entry.agent_id,
    payload: entry.payload,
    rule_id: entry.rule_id,
    created_at: toIso(entry.created_at),
    updated_at: toIso(entry.updated_at),
  };
}
