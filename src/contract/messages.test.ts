import { describe, expect, it } from "vitest";
import { ChecksMessage, EventMessage, SubscriberBatchMessage } from "./messages.ts";

const SLOT = { group_id: "g", region: "default", slot_at: 1, attempt: 0 };
const RESULTS = { shard_id: "s", region: "default", block: { slot_at: 1, attempt: 0, key: "k", entries: [] } };

describe("messages of a queue", () => {
  it.each([
    ["an event", EventMessage, { event_id: "e" }, "event"],
    ["an escalation", EventMessage, { escalation_id: "e" }, "escalation"],
    ["a status post", EventMessage, { status_post_id: "p" }, "status_post"],
    ["held alerts", EventMessage, { alerts_of: { owner_id: "o", status_page_id: null } }, "held_alerts"],
    ["a flapping monitor", EventMessage, { flapping_monitor_id: "m" }, "flapping"],
    ["regions", EventMessage, { regions_of: { monitor_id: "m", seq: 1, regions: [] } }, "regions"],
    ["rules", EventMessage, { rules_on: "e" }, "rules"],
    ["subscribers of an event", SubscriberBatchMessage, { event_id: "e", after: "" }, "event"],
    ["messages to subscribers", SubscriberBatchMessage, { message_ids: ["m"] }, "messages"],
    ["a slot", ChecksMessage, SLOT, "check"],
    ["results", ChecksMessage, RESULTS, "results"],
  ])("of the release before, which named no kind, are read as what they are: %s", (_name, schema, message, kind) => {
    expect(schema.parse(message)).toEqual({ ...message, kind });
    expect(schema.parse({ ...message, kind })).toEqual({ ...message, kind });
  });

  it.each([
    ["of an unknown kind", { kind: "other", event_id: "e" }],
    ["without a kind and its member", { other: "e" }],
    ["that is no object", "event"],
  ])("are refused: one %s", (_name, message) => {
    expect(EventMessage.safeParse(message).success).toBe(false);
  });
});
