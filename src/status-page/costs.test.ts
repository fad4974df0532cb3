import { describe, expect, it } from "vitest";
import { forgetMarkdown, PROSE, repeatPiece } from "../../test/support/hard-markdown.ts";
import { countRegexTries } from "../../test/support/regex-tries.ts";
import type { PagePayload, PublicIncident } from "../contract/public-page.ts";
import { englishTexts } from "../language/texts.ts";
import { parseMarkdown } from "../ui/markdown.ts";
import { renderCalendar } from "./calendar.ts";
import { renderAtom, renderRss } from "./feeds.ts";
import { buildHistoryView, buildIncidentView } from "./incident-view.ts";
import { boundUpdates } from "./payload.ts";
import { buildPageView } from "./view-model.ts";
import { renderHistoryPage, renderIncidentPage, renderStatusPage } from "./views/pages.tsx";

/** The fullest page that a payload can hold: every text as long as the API accepts, all the same. */

const NOW = Date.parse("2026-11-20T12:00:00Z");
const LENGTH = 10_000;
const url = "https://status.example.com";
const viewing = {
  as_of: NOW,
  is_stale: false,
  texts: englishTexts("page"),
  late: null,
  address: { base: "", home: "/", url },
};

function fullest(text: string): PagePayload {
  const ids = Array.from({ length: 100 }, (_, n) => n);
  const incidents = ids.map(
    (n): PublicIncident => ({
      id: `018f0000-0000-7000-8000-0000000000${String(n).padStart(2, "0")}`,
      title: "Checkout is failing",
      description: text,
      severity: "major",
      status: n % 2 === 0 ? "investigating" : "resolved",
      started_at: NOW - n * 3_600_000,
      resolved_at: n % 2 === 0 ? null : NOW,
      monitor_ids: [],
      updates: Array.from({ length: 10 }, (_, u) => ({
        id: `${n}-${u}`,
        status: "investigating" as const,
        message: text,
        created_at: NOW - u,
      })),
      omitted_updates: 0,
      impact: null,
    }),
  );
  const maintenance = ids.slice(0, 50).map((n) => ({
    id: `window-${n}`,
    title: "New disks",
    description: text,
    created_at: NOW,
    updated_at: NOW,
    monitor_ids: [],
    updates: Array.from({ length: 20 }, (_, u) => ({
      id: `${n}-${u}`,
      status: "scheduled" as const,
      message: text,
      created_at: NOW - u,
    })),
    upcoming: [{ start_at: NOW + 3_600_000, end_at: NOW + 7_200_000 }],
    past: [],
  }));
  const page = {
    id: "p",
    name: "Shop",
    slug: "shop",
    domain: null,
    description: text,
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
  };
  return {
    format: 9,
    version: 1,
    generated_at: NOW,
    valid_until: NOW + 3_600_000,
    page,
    needs_ticks: false,
    days: ["2026-11-20"],
    groups: [],
    monitors: [],
    incidents: boundUpdates(incidents),
    maintenance,
  };
}

const DOCUMENTS: [name: string, make: (payload: PagePayload) => string][] = [
  ["the page", (payload) => renderStatusPage(buildPageView(payload, viewing))],
  ["an incident", (payload) => renderIncidentPage(buildIncidentView(first(payload), payload, viewing))],
  [
    "the history",
    (payload) =>
      renderHistoryPage(
        buildHistoryView(payload.incidents.slice(0, 50), payload, { viewing, limit: 50, before: undefined }),
      ),
  ],
  ["the Atom feed", (payload) => renderAtom({ payload, texts: englishTexts("page"), now: NOW, url })],
  ["the RSS feed", (payload) => renderRss({ payload, texts: englishTexts("page"), now: NOW, url })],
  ["the calendar", (payload) => renderCalendar({ payload, texts: englishTexts("page"), now: NOW, url })],
];
const first = ({ incidents }: PagePayload) => incidents[0] as PublicIncident;

/** Each over a payload of its own, because texts are parsed once. */
const workOf = (text: string, make: (payload: PagePayload) => string) => {
  const payload = fullest(text);
  return countRegexTries(() => void make(payload));
};

forgetMarkdown(parseMarkdown);
/** The work for a page whose texts are all prose. */
const PROSE_WORK = workOf(PROSE, (payload) => renderStatusPage(buildPageView(payload, viewing)));

describe.each(DOCUMENTS)("%s of the fullest public page", (_name, make) => {
  it.each([
    "* a\n",
    "!",
    "[",
    "a@b.",
    "**a",
    "<?",
    "a\n",
    "> > > ",
  ])("is made with a bounded work where texts repeat %j", (piece) => {
    expect(workOf(`* ${repeatPiece(piece)}`.slice(0, LENGTH), make)).toBeLessThan(10 * PROSE_WORK);
  });
});

describe("the payload of a page", () => {
  it("leaves out the oldest updates of many long ones, and never the newest of an incident", () => {
    const { incidents } = fullest("x".repeat(LENGTH));
    expect(incidents.every(({ updates }) => updates.length >= 1)).toBe(true);
    expect(incidents.flatMap(({ updates }) => updates).length).toBeLessThanOrEqual(100 + 20);
    expect(incidents[50]).toMatchObject({ omitted_updates: 9 });
  });
});
