import { describe, expect, it } from "vitest";
import { exampleEvent } from "../../test/support/events.ts";
import { isKnownEvent } from "../contract/events.ts";
import type { StoredPreferences, StoredTopics } from "../contract/team-notification.ts";
import { fillPreferences, fillTopics, mergePreferences, mergeTopics, topicFor } from "./team-notifications.ts";

const topicOf = (name: string, page: StoredTopics = {}, own: StoredPreferences = {}, data = {}) => {
  const event = exampleEvent({ name, data });
  return isKnownEvent(event) ? topicFor(event, fillTopics(page), fillPreferences(own)) : undefined;
};
const AUTOMATIC = { is_automatic: true, outage_id: "m/2", monitor_id: "m" };

describe("topicFor", () => {
  it.each([
    ["monitor.down", {}, {}, {}, "down"],
    ["monitor.up", {}, {}, {}, "up"],
    ["monitor.degraded", {}, {}, {}, null],
    ["monitor.degraded", { degraded: true }, {}, {}, "degraded"],
    ["monitor.certificate_expiring", {}, {}, {}, "certificate"],
    ["monitor.domain_expiring", {}, {}, {}, "certificate"],
    ["agent.offline", {}, {}, {}, "agent_offline"],
    ["maintenance.started", {}, {}, {}, "maintenance"],
    ["incident.created", {}, {}, {}, "incident"],
    ["incident.created", {}, {}, AUTOMATIC, null],
    ["incident.created", { down: false }, {}, AUTOMATIC, "incident"],
    ["incident.resolved", {}, { notify_team: { up: false } }, AUTOMATIC, "incident"],
    ["incident.updated", {}, {}, AUTOMATIC, "incident"],
    ["monitor.down", { down: false }, {}, {}, null],
    ["monitor.down", {}, { notify_team: { down: false } }, {}, null],
    ["oncall.gap", {}, {}, {}, null],
    ["service.alarm_raised", {}, {}, {}, null],
    ["audit.recorded", {}, {}, {}, null],
    ["test_event", {}, {}, {}, null],
  ])("of %s, page %o, person %o, data %o is %s", (name, page, own, data, topic) => {
    expect(topicOf(name, page, own, data)).toBe(topic);
  });
});

describe("mergeTopics", () => {
  it.each([
    ["an omitted setting keeps all", { down: false }, undefined, { down: false }],
    ["null restores the defaults", { down: false, degraded: true }, null, {}],
    ["an omitted topic keeps its value", { down: false }, { up: false }, { down: false, up: false }],
    ["a null topic restores its default", { down: false, up: false }, { up: null }, { down: false }],
  ])("%s", (_name, stored, change, merged) => {
    expect(mergeTopics(stored, change)).toEqual(merged);
  });
});

describe("mergePreferences", () => {
  it("keeps what the input omits", () => {
    const stored = mergePreferences({ mail: false }, { notify_team: { up: false } });
    expect(fillPreferences(stored)).toMatchObject({
      mail: false,
      in_app: true,
      notify_team: { up: false, down: true },
    });
    expect(fillPreferences(mergePreferences(stored, { mail: null })).mail).toBe(true);
  });
});
