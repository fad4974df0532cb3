import { describe, expect, it } from "vitest";
import type {
  DayDurations,
  PagePayload,
  PublicIncident,
  PublicMaintenance,
  PublicMonitor,
  PublicStatus,
} from "../contract/public-page.ts";
import { englishTexts } from "../language/texts.ts";
import { createFormats } from "./format.ts";
import { computePageState } from "./page-state.ts";
import { presentSummary } from "./summary.ts";
import { buildPageView } from "./view-model.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse("2026-11-20T12:00:00Z");

const monitor = (fields: Partial<PublicMonitor> = {}): PublicMonitor => ({
  id: "m",
  name: "Shop",
  group_id: null,
  status: "up",
  status_since: NOON - DAY,
  measured_since: NOON - DAY,
  tallies: [null, [DAY, 0, 0], [12 * HOUR, 0, 0]],
  ...fields,
});
const incident = (fields: Partial<PublicIncident> = {}): PublicIncident => ({
  id: "i",
  title: "Trouble",
  description: null,
  severity: "major",
  status: "investigating",
  started_at: NOON - HOUR,
  resolved_at: null,
  omitted_updates: 0,
  impact: null,
  monitor_ids: [],
  updates: [],
  ...fields,
});
const ADDRESS = { base: "/status/page", home: "/status/page", url: "https://vigil.test/status/page" };
const payload = (fields: Partial<PagePayload> = {}): PagePayload => ({
  format: 9,
  version: 1,
  generated_at: NOON,
  valid_until: NOON + 12 * HOUR,
  page: {
    id: "p",
    name: "Page",
    slug: "page",
    domain: null,
    description: null,
    timezone: "UTC",
    logo_url: null,
    logo_dark_url: null,
    favicon_url: null,
    language: "en" as const,
    show_latency: true,
    brand_color: null,
    header_image_url: null,
    layout: "list" as const,
    font: "inter" as const,
    footer_text: null,
    footer_links: [],
    show_branding: true,
  },
  needs_ticks: true,
  days: ["2026-11-18", "2026-11-19", "2026-11-20"],
  groups: [],
  monitors: [monitor()],
  incidents: [],
  maintenance: [],
  ...fields,
});
const view = (fields: Partial<PagePayload>, as_of = NOON) =>
  buildPageView(payload(fields), { as_of, is_stale: false, texts: englishTexts("page"), late: null, address: ADDRESS });

describe("state of a page", () => {
  it.each<[name: string, statuses: PublicStatus[], state: string, title: string]>([
    ["no monitor", [], "unknown", "No data yet"],
    ["nothing checked yet", ["pending", "pending"], "unknown", "No data yet"],
    ["all up", ["up", "up"], "operational", "All systems operational"],
    ["a new one among those that are up", ["up", "pending"], "operational", "All systems operational"],
    ["one without data", ["up", "unknown"], "unknown", "Some systems report no data"],
    ["none with data any more", ["unknown", "pending"], "unknown", "No data"],
    ["one degraded", ["up", "degraded", "unknown"], "degraded", "Degraded performance"],
    ["one down", ["up", "down", "degraded"], "partial_outage", "Partial outage"],
    ["all down", ["down", "down"], "major_outage", "Major outage"],
    ["all down but new ones", ["down", "pending"], "major_outage", "Major outage"],
  ])("%s", (_name, statuses, state, title) => {
    const monitors = statuses.map((status) => monitor({ status }));
    expect(computePageState(payload({ monitors }), NOON)).toMatchObject({ state, title });
  });

  it.each([
    ["minor", "degraded"],
    ["major", "partial_outage"],
    ["critical", "major_outage"],
  ] as const)("an open %s incident makes it at least %s", (severity, state) => {
    expect(computePageState(payload({ incidents: [incident({ severity })] }), NOON).state).toBe(state);
    const resolved = incident({ severity, status: "resolved", resolved_at: NOON });
    expect(computePageState(payload({ incidents: [resolved] }), NOON).state).toBe("operational");
  });
});

describe("maintenance on the page", () => {
  const window = (start: number, end: number, fields: Partial<PublicMaintenance> = {}): PublicMaintenance => ({
    id: "w",
    title: "Disks",
    description: "*New*",
    created_at: 0,
    updated_at: 0,
    monitor_ids: ["m"],
    updates: [],
    upcoming: [{ start_at: NOON + start, end_at: NOON + end }],
    past: [],
    ...fields,
  });

  it.each([
    ["1 ms before it begins", 1, "operational", "up"],
    ["when it begins", 0, "maintenance", "maintenance"],
    ["1 ms before it ends", -HOUR + 1, "maintenance", "maintenance"],
    ["when it ends", -HOUR, "operational", "up"],
  ])("%s", (_name, start, state, status) => {
    const shown = view({ maintenance: [window(start, start + HOUR)] });
    expect([shown.banner.state, shown.sections[0]?.monitors[0]?.status]).toEqual([state, status]);
  });

  it("takes the trouble of its monitors out of the banner, and of no others", () => {
    const monitors = [monitor({ status: "down" }), monitor({ id: "n" })];
    expect(view({ monitors, maintenance: [window(0, HOUR)] }).banner.state).toBe("maintenance");
    expect(view({ monitors, maintenance: [window(0, HOUR, { monitor_ids: ["n"] })] }).banner.state).toBe(
      "major_outage",
    );
    expect(view({ monitors, maintenance: [window(1, HOUR)] }).banner.state).toBe("partial_outage");
  });

  it.each<[name: string, members: [status: PublicStatus, isTarget: boolean][], own: boolean, status: string]>([
    [
      "whose one failing member is in it",
      [
        ["down", true],
        ["up", false],
      ],
      false,
      "maintenance",
    ],
    [
      "with a failing member outside of it",
      [
        ["down", true],
        ["down", false],
      ],
      false,
      "down",
    ],
    [
      "with all members in it",
      [
        ["up", true],
        ["up", true],
      ],
      false,
      "maintenance",
    ],
    [
      "with a healthy member in it",
      [
        ["up", true],
        ["up", false],
      ],
      false,
      "up",
    ],
    [
      "with a member outside of it that is only slow",
      [
        ["down", true],
        ["degraded", false],
      ],
      false,
      "maintenance",
    ],
    [
      "that is slow for a member in it",
      [
        ["degraded", true],
        ["up", false],
      ],
      false,
      "maintenance",
    ],
    ["that it names itself", [["down", false]], true, "maintenance"],
  ])("of a composite %s", (_name, members, own, expected) => {
    const windowsOf = (isTarget: boolean) => (isTarget ? ["w"] : []);
    const composite = {
      window_ids: windowsOf(own),
      members: members.map(([status, isTarget]) => ({ status, window_ids: windowsOf(isTarget) })),
    };
    const statuses = members.map(([status]) => status);
    const status = (["down", "degraded"] as const).find((each) => statuses.includes(each)) ?? "up";
    const shown = view({ monitors: [monitor({ status, composite })], maintenance: [window(0, HOUR)] });
    expect(shown.sections[0]?.monitors[0]?.status).toBe(expected);
    const later = view({ monitors: [monitor({ status, composite })], maintenance: [window(1, HOUR)] });
    expect(later.sections[0]?.monitors[0]?.status).toBe(status);
  });

  it("is listed with what is under way first, in words", () => {
    const later = window(HOUR, 2 * HOUR, { title: "Later", monitor_ids: [] });
    const over = window(0, 0, { upcoming: [], past: [{ start_at: 0, end_at: 1 }] });
    expect(view({ maintenance: [later, over, window(-HOUR, HOUR)] }).maintenance).toMatchObject({
      active: [{ title: "Disks", label: "In progress", affected: ["Shop"], from: { text: "20 Nov 2026, 11:00" } }],
      upcoming: [{ title: "Later", label: "Scheduled", affected: [], to: { text: "14:00" } }],
    });
  });
});

describe("what is affected", () => {
  const named = (name: string, status: PublicStatus) => monitor({ id: name, name, status });
  const some = [named("A", "up"), named("B", "down"), named("C", "down"), named("D", "degraded")];

  it("is named in the banner, at most three of each kind", () => {
    const { banner } = view({ monitors: some });
    expect(banner.affected).toEqual(["2 of 4 services are down: B, C", "1 of 4 services is degraded: D"]);
    const many = Array.from({ length: 5 }, (_, n) => named(`S${n}`, "down"));
    expect(view({ monitors: many }).banner.affected).toEqual(["5 of 5 services are down: S0, S1, S2 and 2 more"]);
  });

  it.each<[name: string, statuses: PublicStatus[], headline: string]>([
    ["one that is down by its name", ["up", "down", "degraded"], "S1 is down"],
    ["several by their number", ["down", "down", "up"], "2 of 3 services are down"],
    ["all of them", ["down", "down"], "All 2 services are down"],
    ["one that is degraded", ["up", "degraded"], "S1 is degraded"],
    ["nothing", ["up", "up"], "All systems operational"],
  ])("is one sentence: %s", (_name, statuses, headline) => {
    const monitors = statuses.map((status, n) => named(`S${n}`, status));
    expect(view({ monitors }).banner.headline).toBe(headline);
  });

  it("says since when, and that the team knows while nobody wrote about it", () => {
    const down = { ...named("A", "down"), status_since: NOON - 14 * MINUTE };
    const lasting = { kind: "duration", text: "14 min", since: { iso: "2026-11-20T11:46:00.000Z" } };
    expect(view({ monitors: [down] }).banner).toMatchObject({ lasting, detected: { ago: "14 min" } });
    const told = incident({ monitor_ids: ["A"], started_at: NOON - 20 * MINUTE });
    const { banner } = view({ monitors: [down], incidents: [told] });
    expect(banner).toMatchObject({ lasting: { text: "20 min" }, detected: null });
    expect(view({ monitors: [{ ...down, status_since: NOON - DAY }] }).banner.lasting).toMatchObject({ kind: "date" });
    expect(view({ monitors: [{ ...down, status_since: NOON - 20_000 }] }).banner.lasting).toMatchObject({
      text: "less than a minute",
    });
    expect(view({ monitors: [named("A", "up")] }).banner).toMatchObject({ lasting: null, detected: null });
  });

  it("is the titles of open incidents while no check sees it, and nothing on a calm page", () => {
    const told = { monitors: [named("A", "up")], incidents: [incident({ title: "Slow mail" })] };
    expect(view(told).banner.affected).toEqual(["Slow mail"]);
    expect(view({ monitors: [named("A", "up")] }).banner.affected).toEqual([]);
  });

  it("comes first, the worst before the rest; groups and services keep their owner's order", () => {
    const groups = [
      { id: "g", name: "Calm" },
      { id: "h", name: "Troubled" },
    ];
    const calm = Array.from({ length: 20 }, (_, n) => ({ ...named(`U${n}`, "up"), group_id: "g" }));
    const troubled = some.map((each) => ({ ...each, group_id: "h" }));
    const { sections, affected, has_filter } = view({ groups, monitors: [...calm, ...troubled] });
    expect(has_filter).toBe(true);
    expect(sections).toMatchObject([
      { title: "Calm", summary: "All 20 operational", state: "up", is_open: false },
      { title: "Troubled", summary: "2 of 4 down", state: "down", is_open: true },
    ]);
    expect(sections[1]?.monitors.map(({ name }) => name)).toEqual(["A", "B", "C", "D"]);
    expect(affected).toMatchObject({ monitors: [{ name: "B" }, { name: "C" }, { name: "D" }], more: 0 });
  });
});

describe("groups on the page", () => {
  const [ungrouped, shop, mail] = [
    monitor({ id: "u", name: "U" }),
    monitor({ group_id: "g" }),
    monitor({ name: "Mail", group_id: "h" }),
  ];
  const groups = [
    { id: "h", name: "Office" },
    { id: "g", name: "Shops" },
  ];

  it.each<[string, PublicMonitor[], PagePayload["groups"], [string, string[]][]]>([
    ["are none where there are none", [shop, ungrouped], [], [["Services", ["U"]]]],
    [
      "follow what has no group, in their order",
      [shop, ungrouped, mail],
      groups,
      [
        ["Services", ["U"]],
        ["Office", ["Mail"]],
        ["Shops", ["Shop"]],
      ],
    ],
    [
      "stand alone where everything has one",
      [shop, mail],
      groups,
      [
        ["Office", ["Mail"]],
        ["Shops", ["Shop"]],
      ],
    ],
    ["leave an empty page as it is", [], [], [["Services", []]]],
  ])("%s", (_name, monitors, shownGroups, sections) => {
    const shown = view({ monitors, groups: shownGroups }).sections;
    expect(shown.map(({ title, monitors }) => [title, monitors.map(({ name }) => name)])).toEqual(sections);
  });
});

describe("a monitor on the page", () => {
  const shown = (fields: Partial<PublicMonitor>, asOf?: number) =>
    view({ monitors: [monitor(fields)] }, asOf).sections[0]?.monitors[0];

  it("joins equal days and lets each day of trouble stand alone, with words for it", () => {
    const down: DayDurations = [DAY - 11 * MINUTE, 0, 11 * MINUTE];
    const days = ["2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"];
    const tallies: DayDurations[] = [null, null, [DAY, 0, 0], down, down, [DAY - HOUR, HOUR, 0]];
    const seen = view({ days, monitors: [monitor({ tallies, measured_since: NOON - 30 * DAY })] }).sections[0]
      ?.monitors[0];
    expect(seen?.runs).toEqual([
      { state: "none", first: 0, length: 2, share: 1, hint: null },
      { state: "up", first: 2, length: 1, share: 1, hint: null },
      { state: "down", first: 3, length: 1, share: 0.4, hint: "18 Nov 2026\n99.23% uptime\ndown for 11 min" },
      { state: "down", first: 4, length: 1, share: 0.4, hint: "19 Nov 2026\n99.23% uptime\ndown for 11 min" },
      { state: "degraded", first: 5, length: 1, share: 0.4, hint: "20 Nov 2026\n100% uptime\ndegraded for 1 h" },
    ]);
    expect(seen?.troubled.map((day) => `${day.date.iso} ${day.text}`)).toEqual([
      "2026-11-20 degraded for 1 h",
      "2026-11-19 down for 11 min",
      "2026-11-18 down for 11 min",
    ]);
    expect(seen?.bars_label).toBe("Last 6 days: 99.61% uptime, 3 days with problems");
  });

  it("goes on being down after the payload was made", () => {
    const down = { status: "down", tallies: [null, null, [12 * HOUR - MINUTE, 0, MINUTE]] } as const;
    expect(shown({ ...down, tallies: [...down.tallies] as DayDurations[] })?.troubled[0]?.text).toBe("down for 1 min");
    expect(shown({ ...down, tallies: [...down.tallies] as DayDurations[] }, NOON + HOUR)?.troubled[0]?.text).toBe(
      "down for 1 h 1 min",
    );
  });

  it("counts no time beyond the day that the payload is for", () => {
    const tallies: DayDurations[] = [null, null, [12 * HOUR, 0, 0]];
    const late = view({ monitors: [monitor({ status: "down", tallies })] }, NOON + 3 * DAY).sections[0]?.monitors[0];
    expect(late?.troubled[0]?.text).toBe("down for 12 h");
  });

  it.each<[status: PublicStatus, label: string, since: string | undefined]>([
    ["up", "Operational", undefined],
    ["degraded", "Degraded", "19 Nov 2026, 12:00"],
    ["down", "Down", "19 Nov 2026, 12:00"],
    ["unknown", "No data", "19 Nov 2026, 12:00"],
    ["pending", "No data yet", undefined],
  ])("%s is called %s", (status, label, since) => {
    const seen = shown({ status });
    expect([seen?.label, seen?.since?.since.text]).toEqual([label, since]);
  });

  it.each([
    ["30 minutes", 30 * MINUTE, "No data yet"],
    ["an hour", HOUR, "100% in 1 h"],
    ["5 hours and a half", 5.5 * HOUR, "100% in 5 h 30 min"],
    ["a day", DAY, "100% in 1 day"],
    ["longer than the page shows", 30 * DAY, "100% in 3 days"],
  ])("measured for %s says what its uptime covers", (_name, age, uptime) => {
    expect(shown({ measured_since: NOON - age })?.uptime).toBe(uptime);
  });

  it("without any known time has no uptime", () => {
    expect(shown({ status: "pending", tallies: [null, null, null] })?.uptime).toBe("No data yet");
  });
});

describe("incidents on the page", () => {
  it("are open ones first, then past ones by their day in the page's zone", () => {
    const page = { ...payload().page, timezone: "Asia/Tokyo" };
    const past = (id: string, started_at: string) =>
      incident({
        id,
        title: id,
        status: "resolved",
        started_at: Date.parse(started_at),
        resolved_at: Date.parse(started_at) + 90 * MINUTE,
      });
    const seen = view({
      page,
      incidents: [incident({ title: "now" }), past("b", "2026-11-19T15:30:00Z"), past("a", "2026-11-19T14:30:00Z")],
    });
    expect(seen.open.map(({ title }) => title)).toEqual(["now"]);
    expect(seen.past.map(({ date, incidents }) => [date.text, incidents.map(({ title }) => title)])).toEqual([
      ["20 Nov 2026", ["b"]],
      ["19 Nov 2026", ["a"]],
    ]);
    expect(seen.past[0]?.incidents[0]?.resolved).toEqual({
      span: {
        from: { iso: "2026-11-19T15:30:00.000Z", text: "20 Nov 2026, 00:30" },
        to: { iso: "2026-11-19T17:00:00.000Z", text: "02:00" },
        isOneDay: true,
      },
      duration: "1 h 30 min",
    });
  });

  it("name only monitors that the page shows", () => {
    expect(view({ incidents: [incident({ monitor_ids: ["m", "hidden"] })] }).open[0]?.affected).toEqual(["Shop"]);
  });
});

describe("summary", () => {
  it("says the same as the page, in numbers", () => {
    const down = monitor({ status: "down", tallies: [null, [DAY, 0, 0], [6 * HOUR, 0, 6 * HOUR]] });
    const summary = presentSummary(payload({ monitors: [down] }), {
      as_of: NOON,
      is_stale: true,
      texts: englishTexts("page"),
      late: null,
      address: ADDRESS,
    });
    expect(summary).toMatchObject({
      status: { state: "major_outage", description: "Major outage" },
      is_stale: true,
      days: ["2026-11-18", "2026-11-19", "2026-11-20"],
      monitors: [{ status: "down", uptime_percentage: 83.333, daily_uptime_percentages: [null, 100, 50] }],
      updated_at: "2026-11-20T12:00:00.000Z",
    });
  });
});

describe("words", () => {
  it.each([
    [1, "1 s"],
    [59_000, "59 s"],
    [MINUTE, "1 min"],
    [59 * MINUTE + 40_400, "59 min 40 s"],
    [HOUR, "1 h"],
    [HOUR + 20 * MINUTE, "1 h 20 min"],
    [DAY, "1 d"],
    [3 * DAY + 5 * HOUR + MINUTE, "3 d 5 h"],
  ])("%i ms is %s", (ms, text) => expect(createFormats("UTC", englishTexts("page")).duration(ms)).toBe(text));

  it.each([
    [100, "100%"],
    [99.999, "99.99%"],
    [0, "0%"],
    [99.5, "99.5%"],
  ])("%f is shown as %s", (percentage, text) =>
    expect(createFormats("UTC", englishTexts("page")).percentage(percentage)).toBe(text));
});
