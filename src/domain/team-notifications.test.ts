import { describe, expect, it } from "vitest";
import { exampleEvent } from "../../test/support/events.ts";
import { isKnownEvent } from "../contract/events.ts";
import type { StoredPreferences, StoredTopics } from "../contract/team-notification.ts";
import {
  fillPreferences,
  fillTopics,
  mergePreferences,
  mergeTopics,
  topicFor,
  wasNotified,
} from "./team-notifications.ts";

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
    ["webhook.failing", {}, {}, {}, null],
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
    const stored = mergePreferences({ mail: false }, { notify_team: { up: false } }, 1);
    expect(fillPreferences(stored)).toMatchObject({
      mail: false,
      in_app: true,
      notify_team: { up: false, down: true },
    });
    expect(stored.on_since).toBeUndefined();
    expect(fillPreferences(mergePreferences(stored, { mail: null }, 2)).mail).toBe(true);
  });

  it("keeps when somebody turned something on again", () => {
    const off = mergePreferences({}, { mail: false, notify_team: { down: false, up: false } }, 1);
    const on = mergePreferences(off, { mail: true, notify_team: { down: null } }, 2);
    expect(on.on_since).toEqual({ mail: 2, down: 2 });
    expect(mergePreferences(on, { notify_team: null }, 3).on_since).toEqual({ mail: 2, down: 2, up: 3 });
  });
});

describe("who was notified of an alarm", () => {
  const DOWN = exampleEvent({ name: "monitor.down" });
  const SLOW = exampleEvent({ name: "monitor.degraded" });
  it.each([
    ["a member since before it", DOWN, {}, {}, 1, true],
    ["somebody who joined at that moment", DOWN, {}, {}, 5, true],
    ["somebody who joined afterwards", DOWN, {}, {}, 6, false],
    ["who turned mail on afterwards", DOWN, {}, { on_since: { mail: 6 } }, 1, false],
    ["who turned another channel on afterwards", DOWN, {}, { on_since: { push: 6 } }, 1, true],
    ["who turned outages on afterwards", DOWN, {}, { on_since: { down: 6 } }, 1, false],
    ["who turned slowness on afterwards", DOWN, {}, { on_since: { degraded: 6 } }, 1, true],
    ["who chose the ends alone", DOWN, {}, { notify_team: { down: false } }, 1, true],
    ["of slowness: nobody without a setting", SLOW, {}, {}, 1, false],
    ["of slowness: a team that chose it", SLOW, { degraded: true }, {}, 1, true],
    ["of slowness: nobody who turned it off", SLOW, { degraded: true }, { notify_team: { degraded: false } }, 1, false],
  ] as const)("%s", (_, event, page, preferences, joined_at, is_notified) => {
    if (!isKnownEvent(event)) throw new Error("an event of the catalogue");
    const reader = { page: fillTopics(page), preferences, joined_at };
    expect(wasNotified({ event, announced_at: 5 }, reader, "mail")).toBe(is_notified);
  });
});
