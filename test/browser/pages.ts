import type { DayDurations, PagePayload, PublicIncident, PublicMonitor } from "../../src/contract/public-page.ts";
import { listDaysUntil } from "../../src/lib/zoned-days.ts";

/** Pages as readers may find them. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const NOW = Date.parse("2026-11-20T14:32:00Z");
const TIMEZONE = "Europe/Berlin";
const days = listDaysUntil(NOW, TIMEZONE, 90);

function monitor(name: string, fields: Partial<PublicMonitor> & { trouble?: Record<number, DayDurations> } = {}) {
  const { trouble = {}, ...given } = fields;
  const tallies = days.map((_day, n): DayDurations => trouble[n] ?? (n < 6 ? null : [DAY, 0, 0]));
  return {
    id: name,
    name,
    group_id: null,
    status: "up",
    status_since: NOW - 3 * HOUR,
    measured_since: NOW - 90 * DAY,
    tallies,
    ...given,
  } satisfies PublicMonitor;
}

function incident(fields: Partial<PublicIncident>): PublicIncident {
  return {
    id: "018f0000-0000-7000-8000-000000000001",
    title: "Checkout is failing for some customers",
    description: null,
    severity: "major",
    status: "investigating",
    started_at: NOW - 2 * HOUR,
    resolved_at: null,
    monitor_ids: [],
    updates: [],
    omitted_updates: 0,
    impact: null,
    ...fields,
  };
}

export function pagePayload(fields: Partial<PagePayload> = {}, page: Partial<PagePayload["page"]> = {}): PagePayload {
  return {
    format: 9,
    needs_ticks: true,
    version: 1,
    generated_at: NOW - 10 * MINUTE,
    valid_until: days.at(-1)?.to_at ?? NOW,
    days: days.map((day) => day.date),
    groups: [],
    monitors: [],
    incidents: [],
    maintenance: [],
    ...fields,
    page: {
      id: "p",
      name: "Northwind Status",
      slug: "northwind",
      domain: null,
      description: "Live state of the shop, the API and everything behind them.",
      timezone: TIMEZONE,
      logo_url: null,
      logo_dark_url: null,
      favicon_url: null,
      language: "en" as const,
      show_latency: true,
      brand_color: "#6d28d9",
      header_image_url: null,
      layout: "list" as const,
      font: "inter" as const,
      footer_text: "Something missing here? Tell support@northwind.example.",
      footer_links: [
        { label: "Northwind", url: "https://northwind.example" },
        { label: "Support", url: "https://northwind.example/support" },
      ],
      show_branding: true,
      ...page,
    },
  };
}

const update = (status: PublicIncident["status"], minutesAgo: number, message: string) => ({
  id: `u${minutesAgo}`,
  status,
  message,
  created_at: NOW - minutesAgo * MINUTE,
});

const past = incident({
  id: "018f0000-0000-7000-8000-000000000002",
  title: "Slow search results",
  severity: "minor",
  status: "resolved",
  started_at: NOW - 3 * DAY,
  resolved_at: NOW - 3 * DAY + 95 * MINUTE,
  updates: [update("resolved", 4200, "The index was rebuilt and searches are as fast as before.")],
});

export const CALM = pagePayload({
  monitors: [
    monitor("Web shop", { id: "shop", trouble: { 40: [DAY - 11 * MINUTE, 0, 11 * MINUTE] } }),
    monitor("Checkout API", { trouble: { 41: [DAY - 3 * HOUR, 3 * HOUR, 0], 70: [20 * HOUR, 0, 4 * HOUR] } }),
    monitor("Search"),
    monitor("Image delivery"),
  ],
  incidents: [past],
});

export const TROUBLED = pagePayload({
  monitors: [
    monitor("Web shop", { id: "shop" }),
    monitor("Checkout API", {
      id: "checkout",
      status: "down",
      status_since: NOW - 2 * HOUR,
      trouble: { 41: [DAY - 3 * HOUR, 3 * HOUR, 0], 70: [20 * HOUR, 0, 4 * HOUR], 89: [13 * HOUR, 0, 2 * HOUR] },
    }),
    monitor("Search", { status: "degraded", trouble: { 89: [14 * HOUR, HOUR, 0] } }),
    monitor("Image delivery", { status: "unknown" }),
    monitor("Loyalty programme", { status: "pending", tallies: days.map(() => null) }),
  ],
  incidents: [
    incident({
      monitor_ids: ["checkout"],
      status: "identified",
      description: "Some card payments are refused although they are valid.",
      updates: [
        update("identified", 25, "A certificate of the payment provider ran out.\n\nThey are replacing it now."),
        update("investigating", 110, "We see failing payments and are looking into it."),
      ],
    }),
    past,
  ],
});

const LONG = "Supercalifragilisticexpialidocious".repeat(6).slice(0, 200);
export const EXTREME = pagePayload(
  {
    monitors: [
      monitor(LONG, { status: "down" }),
      monitor("متجر الكتب العربي", { id: "rtl", status: "degraded" }),
      monitor("書店のウェブサイト", { id: "cjk" }),
      ...Array.from({ length: 497 }, (_, n) => monitor(`Service ${n + 1}`)),
    ],
    incidents: [incident({ title: LONG, updates: [update("investigating", 5, LONG.repeat(5))] })],
  },
  {
    name: LONG,
    description: LONG,
    footer_links: Array.from({ length: 20 }, () => ({ label: LONG, url: "https://a.example" })),
  },
);

const GROUPS = ["Storefront", "Payments", "Internal"].map((name, n) => ({ id: `g${n}`, name }));
/** Fourteen services in groups, one of them with trouble, and maintenance to come. */
export const GROUPED = pagePayload({
  groups: GROUPS,
  monitors: Array.from({ length: 14 }, (_, n) =>
    monitor(["Web shop", "Search", "Images", "Checkout", "Cards", "Invoices", "Stock"][n % 7] + (n < 7 ? "" : " EU"), {
      id: `m${n}`,
      group_id: GROUPS[Math.floor(n / 5)]?.id ?? null,
      ...(n === 6 ? { status: "down", status_since: NOW - HOUR, trouble: { 89: [13 * HOUR, 0, HOUR] } } : {}),
    }),
  ),
  incidents: [past],
  maintenance: [
    {
      id: "w",
      title: "New database servers",
      description: "Payments are read-only for a few minutes.",
      created_at: NOW - DAY,
      updated_at: NOW - DAY,
      monitor_ids: ["m3"],
      updates: [],
      upcoming: [{ start_at: NOW + DAY, end_at: NOW + DAY + HOUR }],
      past: [{ start_at: NOW - 9 * DAY, end_at: NOW - 9 * DAY + HOUR }],
    },
  ],
});

/** The same page read in Arabic, with an Arabic group. */
export const ARABIC = pagePayload(
  {
    ...GROUPED,
    groups: GROUPS.map((group, n) => (n === 0 ? { ...group, name: "المتجر" } : group)),
    incidents: [...TROUBLED.incidents],
  },
  { language: "ar", name: "حالة نورث ويند" },
);
/** Three hundred services of which two have trouble. */
export const LARGE = pagePayload({
  groups: GROUPS,
  monitors: Array.from({ length: 300 }, (_, n) =>
    monitor(`Service ${n + 1}`, {
      id: `l${n}`,
      group_id: GROUPS[n % 3]?.id ?? null,
      ...(n === 17 || n === 220
        ? { status: "down", status_since: NOW - HOUR, trouble: { 89: [13 * HOUR, 0, HOUR] } }
        : {}),
    }),
  ),
});

/** The same services in the other layouts, in fonts that no file is loaded for. */
export const COMPACT = pagePayload(GROUPED, { layout: "compact", font: "system", brand_color: null });
export const GRID = pagePayload(GROUPED, { layout: "grid", font: "serif" });
