/** People, schedules and escalations of other tools, as their APIs answer them. */

const userReference = (id: string, summary: string) => ({
  id,
  type: "user_reference",
  summary,
  self: `https://api.pagerduty.com/users/${id}`,
  html_url: null,
});
const layer = (users: [string, string][], more: object = {}) => ({
  id: "PLAYER1",
  name: "Layer 1",
  start: "2026-01-05T09:00:00Z",
  end: null,
  rotation_virtual_start: "2026-01-05T09:00:00Z",
  rotation_turn_length_seconds: 604_800,
  users: users.map(([id, name]) => ({ user: userReference(id, name) })),
  restrictions: [],
  ...more,
});

export const PAGERDUTY = JSON.stringify({
  users: [
    { id: "PANN", type: "user", name: "Ann", email: "Ann@shop.example", time_zone: "Europe/Berlin", role: "admin" },
    { id: "PBOB", type: "user", name: "Bob", email: "bob@shop.example", time_zone: "Europe/Berlin", role: "user" },
    { id: "PEVE", type: "user", name: "Eve", email: "eve@shop.example", time_zone: "UTC", role: "observer" },
  ],
  schedules: [
    {
      id: "PWEEK",
      type: "schedule",
      summary: "Week",
      name: "Week",
      time_zone: "Europe/Berlin",
      description: "",
      schedule_layers: [
        layer([
          ["PANN", "Ann"],
          ["PBOB", "Bob"],
        ]),
        layer([["PEVE", "Eve"]], { id: "POLD", end: "2025-12-31T00:00:00Z" }),
      ],
      overrides: [
        {
          id: "O1",
          start: "2026-12-24T00:00:00+01:00",
          end: "2026-12-25T00:00:00+01:00",
          user: userReference("PBOB", "Bob"),
        },
        { id: "O2", start: "2026-02-01T00:00:00Z", end: "2026-02-02T00:00:00Z", user: userReference("PBOB", "Bob") },
      ],
    },
    {
      id: "PNIGHT",
      type: "schedule",
      name: "Night",
      time_zone: "UTC",
      schedule_layers: [
        layer([["PBOB", "Bob"]], {
          restrictions: [{ type: "daily_restriction", start_time_of_day: "20:00:00", duration_seconds: 43_200 }],
        }),
      ],
      final_schedule: {
        rendered_schedule_entries: [
          { start: "2026-12-01T20:00:00Z", end: "2026-12-02T08:00:00Z", user: userReference("PBOB", "Bob") },
        ],
      },
    },
    { id: "PODD", type: "schedule", name: "Odd", time_zone: "UTC", schedule_layers: [layer([["PGONE", "Gone"]])] },
  ],
  escalation_policies: [
    {
      id: "PPOL",
      type: "escalation_policy",
      name: "Default",
      num_loops: 2,
      escalation_rules: [
        {
          id: "R1",
          escalation_delay_in_minutes: 15,
          targets: [{ id: "PWEEK", type: "schedule_reference", summary: "Week" }],
        },
        {
          id: "R2",
          escalation_delay_in_minutes: 30,
          targets: [
            { id: "PANN", type: "user_reference", summary: "Ann" },
            { id: "PGONE", type: "user_reference", summary: "Gone" },
          ],
        },
      ],
      services: [],
      teams: [],
    },
  ],
});

export const OPSGENIE = JSON.stringify({
  users: [
    { id: "u1", username: "ann@shop.example", fullName: "Ann", role: { id: "Owner" }, timeZone: "Europe/Berlin" },
    { id: "u2", username: "bob@shop.example", fullName: "Bob", role: { id: "User" }, timeZone: "Europe/Berlin" },
  ],
  schedules: [
    {
      id: "s1",
      name: "Week",
      description: "",
      timezone: "Europe/Berlin",
      enabled: true,
      ownerTeam: { id: "t1", name: "Ops" },
      rotations: [
        {
          id: "r1",
          name: "Rot1",
          startDate: "2026-01-05T08:00:00Z",
          type: "weekly",
          length: 2,
          participants: [
            { type: "user", id: "u1", username: "ann@shop.example" },
            { type: "user", id: "u2", username: "bob@shop.example" },
            { type: "none" },
          ],
        },
      ],
    },
    {
      id: "s2",
      name: "Office",
      timezone: "UTC",
      enabled: true,
      rotations: [
        {
          id: "r2",
          startDate: "2026-01-05T08:00:00Z",
          type: "daily",
          length: 1,
          participants: [{ type: "user", id: "u1" }],
          timeRestriction: { type: "time-of-day", restriction: { startHour: 8, endHour: 18, startMin: 0, endMin: 0 } },
        },
      ],
    },
  ],
  escalations: [
    {
      id: "e1",
      name: "Ops escalation",
      description: "",
      ownerTeam: { id: "t1", name: "Ops" },
      rules: [
        {
          condition: "if-not-acked",
          notifyType: "default",
          delay: { timeAmount: 0, timeUnit: "minutes" },
          recipient: { type: "schedule", id: "s1", name: "Week" },
        },
        {
          condition: "if-not-acked",
          notifyType: "next",
          delay: { timeAmount: 1, timeUnit: "hours" },
          recipient: { type: "user", id: "u2", username: "bob@shop.example" },
        },
        {
          condition: "if-not-closed",
          notifyType: "default",
          delay: { timeAmount: 60, timeUnit: "minutes" },
          recipient: { type: "team", id: "t1", name: "Ops" },
        },
      ],
      repeat: { waitInterval: 10, count: 3, resetRecipientStates: false, closeAlertAfterAll: false },
    },
  ],
});

export const GRAFANA_ONCALL = JSON.stringify({
  users: [
    {
      id: "U1",
      grafana_id: 1,
      email: "ann@shop.example",
      username: "ann",
      name: "Ann",
      role: "admin",
      timezone: "UTC",
    },
    { id: "U2", grafana_id: 2, email: "bob@shop.example", username: "bob", name: "Bob", role: "user", timezone: "UTC" },
  ],
  schedules: [
    {
      id: "S1",
      team_id: null,
      type: "web",
      name: "Week",
      time_zone: "Europe/Berlin",
      shifts: ["O1", "O2"],
      on_call_now: ["U1"],
      slack: null,
    },
    { id: "S2", type: "ical", name: "Calendar", ical_url_primary: "https://calendar.example/a.ics", on_call_now: [] },
    { id: "S3", type: "web", name: "Days", time_zone: "UTC", shifts: ["O3"], on_call_now: [] },
  ],
  on_call_shifts: [
    {
      id: "O1",
      type: "rolling_users",
      name: "Rotation",
      level: 1,
      start: "2026-01-05T09:00:00",
      rotation_start: "2026-01-05T09:00:00",
      duration: 604_800,
      frequency: "weekly",
      interval: 1,
      week_start: "MO",
      by_day: null,
      rolling_users: [["U1"], ["U2"]],
      start_rotation_from_user_index: 1,
      time_zone: null,
    },
    {
      id: "O2",
      type: "override",
      name: "Holiday",
      start: "2026-12-24T00:00:00",
      rotation_start: "2026-12-24T00:00:00",
      duration: 86_400,
      rolling_users: [["U1"]],
    },
    {
      id: "O3",
      type: "rolling_users",
      name: "By day",
      start: "2026-01-05T09:00:00",
      duration: 28_800,
      frequency: "daily",
      interval: 1,
      rolling_users: [["U1"]],
    },
  ],
  escalation_chains: [{ id: "F1", name: "Default", team_id: null }],
  escalation_policies: [
    { id: "E2", escalation_chain_id: "F1", position: 1, type: "wait", duration: 900 },
    { id: "E3", escalation_chain_id: "F1", position: 2, type: "trigger_webhook", action_to_trigger: "W1" },
    { id: "E4", escalation_chain_id: "F1", position: 3, type: "wait", duration: 300 },
    {
      id: "E5",
      escalation_chain_id: "F1",
      position: 4,
      type: "notify_persons",
      important: true,
      persons_to_notify: ["U2"],
    },
    {
      id: "E1",
      escalation_chain_id: "F1",
      position: 0,
      type: "notify_on_call_from_schedule",
      important: false,
      notify_on_call_from_schedule: "S1",
    },
    { id: "E6", escalation_chain_id: "F1", position: 5, type: "repeat_escalation" },
  ],
});
