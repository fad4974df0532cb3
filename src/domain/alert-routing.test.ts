import { describe, expect, it } from "vitest";
import {
  applyRoutingOverride,
  findChannel,
  type RoutableEvent,
  type RoutableWebhook,
  selectWebhooks,
} from "./alert-routing.ts";

const EVENT: RoutableEvent = { name: "monitor.down", classification: "public", owner_id: "o", status_page_id: "p" };
const WEBHOOK: RoutableWebhook = {
  owner_id: "o",
  status_page_id: null,
  events: [],
  is_active: true,
  is_team_only: false,
};

type Row = [name: string, event: Partial<RoutableEvent>, webhook: Partial<RoutableWebhook>, heard: string | null];

const ROWS: Row[] = [
  ["an empty filter hears every event", {}, {}, "monitor.down"],
  ["an empty filter hears custom events", { name: "deploy.done" }, {}, "deploy.done"],
  ["a listed event is heard", {}, { events: ["monitor.up", "monitor.down"] }, "monitor.down"],
  ["an event that is not listed is not", {}, { events: ["monitor.up"] }, null],
  ["a name must match whole", {}, { events: ["monitor"] }, null],
  ["an inactive webhook hears nothing", {}, { is_active: false }, null],
  ["another owner's webhook hears nothing", {}, { owner_id: "x" }, null],
  ["another owner's webhook hears nothing of its own page either", {}, { owner_id: "x", status_page_id: "p" }, null],
  ["a webhook of the page hears its events", {}, { status_page_id: "p" }, "monitor.down"],
  ["a webhook of another page does not", {}, { status_page_id: "q" }, null],
  [
    "a webhook of a page does not hear monitors without a page",
    { status_page_id: null },
    { status_page_id: "p" },
    null,
  ],
  ["a webhook without a page hears monitors without a page", { status_page_id: null }, {}, "monitor.down"],
  ["team_only stays out of public channels", { classification: "team_only" }, {}, null],
  ["team_only reaches the team's channels", { classification: "team_only" }, { is_team_only: true }, "monitor.down"],
  ["the team's channels hear public events, too", {}, { is_team_only: true }, "monitor.down"],
  ["critical events reach public channels", { classification: "critical" }, {}, "monitor.down"],
  [
    "the end of a maintenance is `completed` by default",
    { name: "maintenance.completed" },
    {},
    "maintenance.completed",
  ],
  [
    "a webhook that lists only `ended` hears it under that name",
    { name: "maintenance.completed" },
    { events: ["maintenance.ended"] },
    "maintenance.ended",
  ],
  [
    "a webhook that lists both hears it once, as `completed`",
    { name: "maintenance.completed" },
    { events: ["maintenance.ended", "maintenance.completed"] },
    "maintenance.completed",
  ],
  [
    "either name stands for the same end",
    { name: "maintenance.ended" },
    { events: ["maintenance.completed"] },
    "maintenance.completed",
  ],
  [
    "the start of a maintenance is not its end",
    { name: "maintenance.started" },
    { events: ["maintenance.ended"] },
    null,
  ],
];

describe("selectWebhooks", () => {
  it.each(ROWS)("%s", (_name, event, webhook, heard) => {
    const selected = selectWebhooks({ ...EVENT, ...event }, [{ ...WEBHOOK, ...webhook }]);
    expect(selected.map((each) => each.event_name)).toEqual(heard === null ? [] : [heard]);
  });

  it("keeps each webhook's own name and order", () => {
    const all = { ...WEBHOOK, id: "all" };
    const ended = { ...WEBHOOK, id: "ended", events: ["maintenance.ended"] };
    const none = { ...WEBHOOK, id: "none", events: ["monitor.up"] };
    expect(selectWebhooks({ ...EVENT, name: "maintenance.completed" }, [ended, none, all])).toEqual([
      { webhook: ended, event_name: "maintenance.ended" },
      { webhook: all, event_name: "maintenance.completed" },
    ]);
  });
});

describe("alert_channels", () => {
  it.each([
    ["an event that they name", "monitor.down", "#ops"],
    ["an event that they do not name", "monitor.up", null],
    ["the end of a maintenance by its other name", "maintenance.completed", "#work"],
    ["a new end of a maintenance where its start goes", "maintenance.rescheduled", "#start"],
    ["an event that is named as a member of every object", "constructor", null],
  ])("say where %s goes", (_name, event, channel) => {
    const channels = { "monitor.down": "#ops", "maintenance.started": "#start", "maintenance.ended": "#work" };
    expect(findChannel(channels, event)).toBe(channel);
  });
});

describe("applyRoutingOverride", () => {
  it.each([
    ["an event that the page says nothing of", {}, { "monitor.up": "team_only" }, "public"],
    ["an event without a page", {}, undefined, "public"],
    ["an event that the page names", {}, { "monitor.down": "critical" }, "critical"],
    ["what is the team's own", { classification: "team_only" }, { "monitor.down": "public" }, "team_only"],
    [
      "the end of a maintenance by its other name",
      { name: "maintenance.ended" },
      { "maintenance.completed": "team_only" },
      "team_only",
    ],
    [
      "a new end of a maintenance whose start is the team's own",
      { name: "maintenance.rescheduled" },
      { "maintenance.started": "team_only" },
      "team_only",
    ],
    [
      "a new end of a maintenance whose start wakes somebody",
      { name: "maintenance.rescheduled" },
      { "maintenance.started": "critical" },
      "public",
    ],
    ["an event that is named as a member of every object", { name: "constructor" }, {}, "public"],
  ] as const)("gives %s its audience", (_name, event, routing, classification) => {
    expect(applyRoutingOverride({ ...EVENT, ...event }, routing).classification).toBe(classification);
  });
});
