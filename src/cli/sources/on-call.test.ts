import { describe, expect, it } from "vitest";
import { GRAFANA_ONCALL, OPSGENIE, PAGERDUTY } from "../../../test/support/on-call-tools.ts";
import { importGrafanaOnCall } from "./grafana-oncall.ts";
import type { ImportedOnCall } from "./on-call-draft.ts";
import { importOpsgenie } from "./opsgenie.ts";
import { importPagerDuty } from "./pagerduty.ts";

const NOW = Date.parse("2026-11-28T12:00:00Z");
const linesOf = ({ remarks }: ImportedOnCall) =>
  remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`);

describe("on-call of PagerDuty", () => {
  const imported = importPagerDuty(PAGERDUTY, NOW);

  it("keeps rotations, overrides to come, and shifts of what is no single rotation", () => {
    expect(imported.schedules).toEqual([
      {
        name: "Week",
        timezone: "Europe/Berlin",
        rotation: {
          people: ["ann@shop.example", "bob@shop.example"],
          start_at: "2026-01-05T09:00:00.000Z",
          period_hours: 168,
        },
        overrides: [
          { person: "bob@shop.example", start_at: "2026-12-23T23:00:00.000Z", end_at: "2026-12-24T23:00:00.000Z" },
        ],
      },
      {
        name: "Night",
        timezone: "UTC",
        shifts: [
          { person: "bob@shop.example", start_at: "2026-12-01T20:00:00.000Z", end_at: "2026-12-02T08:00:00.000Z" },
        ],
      },
    ]);
  });

  it("asks in the same order, after the same time, as often", () => {
    expect(imported.policies).toEqual([
      {
        name: "Default",
        repeat_count: 2,
        steps: [
          { wait_minutes: 0, contacts: [{ schedule: "Week" }] },
          { wait_minutes: 15, contacts: [{ person: "ann@shop.example" }] },
        ],
      },
    ]);
  });

  it("invites those alone who are on call or asked, and names what does not come", () => {
    expect(imported.people).toEqual([
      { email: "ann@shop.example", name: "Ann" },
      { email: "bob@shop.example", name: "Bob" },
    ]);
    expect(linesOf(imported)).toEqual([
      expect.stringContaining('changes schedule "Night": it is no single rotation: it has its shifts until 2026-12-02'),
      expect.stringContaining('stays schedule "Odd": it is no single rotation'),
      expect.stringContaining('stays escalation policy "Default": that it asks Gone'),
    ]);
  });
});

describe("on-call of Opsgenie", () => {
  const imported = importOpsgenie(OPSGENIE, NOW);

  it("keeps rotations of the whole day, and asks after the same time", () => {
    expect(imported).toMatchObject({
      people: [{ email: "ann@shop.example" }, { email: "bob@shop.example" }],
      schedules: [
        {
          name: "Week",
          timezone: "Europe/Berlin",
          rotation: { people: ["ann@shop.example", "bob@shop.example"], period_hours: 336 },
        },
      ],
      policies: [
        {
          name: "Ops escalation",
          repeat_count: 3,
          steps: [
            { wait_minutes: 0, contacts: [{ schedule: "Week" }] },
            { wait_minutes: 60, contacts: [{ person: "bob@shop.example" }] },
          ],
        },
      ],
    });
  });

  it("names what does not come, or not as it was", () => {
    expect(linesOf(imported)).toEqual([
      expect.stringContaining('stays schedule "Week": turns of teams'),
      expect.stringContaining('stays schedule "Office": it is no single rotation of the whole day'),
      expect.stringContaining('changes escalation "Ops escalation": asks those who are on call, not "next"'),
      expect.stringContaining('changes escalation "Ops escalation": asks until somebody acknowledges'),
      expect.stringContaining('stays escalation "Ops escalation": that it asks Ops'),
    ]);
  });
});

describe("on-call of Grafana OnCall", () => {
  const imported = importGrafanaOnCall(GRAFANA_ONCALL, NOW);

  it("keeps rotations from whose turn it is, and overrides; chains become steps that wait as long", () => {
    expect(imported.schedules).toEqual([
      {
        name: "Week",
        timezone: "Europe/Berlin",
        rotation: {
          people: ["bob@shop.example", "ann@shop.example"],
          start_at: "2026-01-05T09:00:00.000Z",
          period_hours: 168,
        },
        overrides: [
          { person: "ann@shop.example", start_at: "2026-12-24T00:00:00.000Z", end_at: "2026-12-25T00:00:00.000Z" },
        ],
      },
    ]);
    expect(imported.policies).toEqual([
      {
        name: "Default",
        repeat_count: 5,
        steps: [
          { wait_minutes: 0, contacts: [{ schedule: "Week" }] },
          { wait_minutes: 20, contacts: [{ person: "bob@shop.example" }] },
        ],
      },
    ]);
  });

  it("names what does not come", () => {
    expect(linesOf(imported)).toEqual([
      expect.stringContaining('stays schedule "Calendar": it is a calendar elsewhere'),
      expect.stringContaining('stays schedule "Days": it is no single rotation of the whole day'),
      expect.stringContaining('stays escalation chain "Default": its step "trigger_webhook"'),
    ]);
  });
});

describe.each([
  ["PagerDuty", PAGERDUTY, importPagerDuty],
  ["Opsgenie", OPSGENIE, importOpsgenie],
  ["Grafana OnCall", GRAFANA_ONCALL, importGrafanaOnCall],
])("a file of %s", (_, text, read) => {
  it("loses no field that a later version adds to users, schedules and escalations", () => {
    const file = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
    for (const [list, [first]] of Object.entries(file)) {
      const changed = { ...file, [list]: [{ ...first, zzadded: 7 }, ...(file[list] ?? []).slice(1)] };
      expect([list, linesOf(read(JSON.stringify(changed), NOW)).join()]).toEqual([
        list,
        expect.stringContaining("zzadded"),
      ]);
    }
  });

  it("is refused where it holds nothing of it", () => {
    expect(() => read("{}", NOW)).toThrow("holds no schedules");
    expect(() => read("[[[", NOW)).toThrow("cannot be read");
  });
});
