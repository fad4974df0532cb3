import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { STATUSPAGE_DOCUMENTS, type StatuspageAnswer } from "../../src/contract/statuspage-api.ts";
import { openDb } from "../../src/data/db.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { V1 } from "../support/client.ts";
import { createMonitor } from "../support/factories.ts";
import { createShop, createVisitor, HOUR, insertIncident, setStatus, storedPage, summaryOf } from "../support/pages.ts";

const db = openDb(env.DB);
const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const NOW = Math.floor(Date.now() / 1000) * 1000;
const iso = (at: number) => new Date(at).toISOString();
const ANSWERS = Object.keys(STATUSPAGE_DOCUMENTS) as StatuspageAnswer[];
const FILES = [
  "feed.atom",
  "feed.rss",
  "feed.json",
  "maintenance.ics",
  ...ANSWERS.map((name) => `api/v2/${name}.json`),
];
/** What https://www.jsonfeed.org/version/1.1/ asks of a feed, and nothing beside it. */
const JsonFeed = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string().min(1),
  language: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  items: z.array(
    z.strictObject({
      id: z.string().min(1),
      url: z.url(),
      title: z.string(),
      content_html: z.string(),
      date_published: z.iso.datetime({ offset: true }),
    }),
  ),
});
type Shop = Awaited<ReturnType<typeof createShop>>;

type Planned = Pick<Shop, "account" | "page"> & { monitor: { id: string } };

async function plan({ account, page, monitor }: Planned, fields: Record<string, unknown> = {}) {
  const targets = [{ target_type: "monitor", target_id: monitor.id }];
  const times = { start_time: iso(NOW - HOUR), end_time: iso(NOW + HOUR) };
  const body = { status_page_id: page.id, title: "New disks", targets, ...times, ...fields };
  const answer = await account.client.post(`${V1}/maintenance`, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

/** A page with an open incident, one that nobody sees, and maintenance under way, to come and not public. */
async function aPage(text = "harmless") {
  const shop = await createShop();
  const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id, title: text, description: text };
  const incident = await insertIncident(
    { ...own, started_at: NOW - HOUR },
    { messages: [text], monitor_ids: [shop.monitor.id] },
  );
  await insertIncident({ ...own, title: "SECRET incident", is_public: false }, { messages: ["SECRET update"] });
  const active = await plan(shop, { title: text, description: text });
  const planned = await plan(shop, { title: "Later", start_time: iso(NOW + HOUR), end_time: iso(NOW + 2 * HOUR) });
  await plan(shop, { title: "SECRET window", is_public: false });
  return { ...shop, incident, active, planned };
}

const readAnswer = async (path: string, name: StatuspageAnswer) => {
  const { status, text } = await visit(`${path}/api/v2/${name}.json`);
  expect(status).toBe(200);
  const body: unknown = JSON.parse(text);
  expect(body).toEqual(STATUSPAGE_DOCUMENTS[name].parse(body));
  // biome-ignore lint/suspicious/noExplicitAny: the schema was checked above; tests read what they assert
  return body as any;
};

const parseXml = (text: string) => {
  expect(XMLValidator.validate(text)).toBe(true);
  return new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "@" }).parse(text);
};
const parseCalendar = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));

describe("every document of a page", () => {
  it.each(FILES)("%s is cached like the page, revalidated by its tag and contains nothing private", async (file) => {
    const { path, page, account } = await aPage();
    const first = await visit(`${path}/${file}`);
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "public, max-age=15, stale-if-error=600"]);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.text).not.toContain("SECRET");
    expect(first.text).not.toContain("127.0.0.1");
    const again = await visit(`${path}/${file}`, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
    await account.client.put(`${V1}/status-pages/${page.id}`, { is_public: false });
    expect((await visit(`${path}/${file}`)).status).toBe(404);
    expect((await visit(`${path}/${file}`, { authorization: `Bearer ${account.token}` })).status).toBe(200);
    expect((await visit(`/status/nowhere-at-all/${file}`)).status).toBe(404);
  });
});

describe("feeds", () => {
  it("give incidents, their updates and maintenance to a reader of Atom", async () => {
    const { path, page, incident, active, planned } = await aPage();
    const { feed } = parseXml((await visit(`${path}/feed.atom`)).text);
    expect(feed).toMatchObject({
      id: `urn:uuid:${page.id}`,
      title: "Northwind status",
      "@xmlns": "http://www.w3.org/2005/Atom",
    });
    const entries: { id: string; title: string; link: unknown; updated: string }[] = feed.entry;
    expect(entries.map(({ title }) => title).toSorted()).toEqual([
      ...["Maintenance: Later", "Maintenance: harmless", "harmless", "harmless: Investigating"],
    ]);
    expect(entries.map(({ id }) => id)).toEqual(
      expect.arrayContaining([incident, active.id, planned.id].map((id) => `urn:uuid:${id}`)),
    );
    expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
    expect(entries.map(({ updated }) => updated)).toEqual(
      entries
        .map(({ updated }) => updated)
        .toSorted()
        .reverse(),
    );
    const said = entries.find(({ title }) => title === "harmless");
    expect(said?.link).toMatchObject({ "@href": `http://vigil.test${path}/incidents/${incident}` });
  });

  it("give the same to a reader of RSS", async () => {
    const { path, incident } = await aPage("*bold*");
    const { rss } = parseXml((await visit(`${path}/feed.rss`)).text);
    const items: { title: string; link: string; guid: unknown; pubDate: string; description: string }[] =
      rss.channel.item;
    expect(items).toHaveLength(4);
    const said = items.find(({ title }) => title === "*bold*");
    expect(said).toMatchObject({
      link: `http://vigil.test${path}/incidents/${incident}`,
      pubDate: new Date(NOW - HOUR).toUTCString(),
    });
    expect(said?.description).toContain("<em>bold</em>");
  });

  it("give the same to a reader of JSON Feed", async () => {
    const { path, incident, planned } = await aPage("*bold*");
    const answer = await visit(`${path}/feed.json`);
    expect(answer.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
    const feed = JsonFeed.parse(JSON.parse(answer.text));
    const address = `http://vigil.test${path}`;
    expect([feed.home_page_url, feed.feed_url]).toEqual([address, `${address}/feed.json`]);
    expect(new Set(feed.items.map(({ id }) => id)).size).toBe(4);
    const said = feed.items.find(({ url }) => url === `${address}/incidents/${incident}`);
    expect(said?.content_html).toContain("<em>bold</em>");
    expect(feed.items.map(({ url }) => url)).toContain(`${address}/maintenance/${planned.id}`);
  });

  it("are empty, not broken, for a page where nothing happened", async () => {
    const { path } = await createShop();
    expect(parseXml((await visit(`${path}/feed.atom`)).text).feed.entry).toBeUndefined();
    expect(parseXml((await visit(`${path}/feed.rss`)).text).rss.channel.item).toBeUndefined();
    expect(JsonFeed.parse(JSON.parse((await visit(`${path}/feed.json`)).text)).items).toEqual([]);
    expect(parseCalendar((await visit(`${path}/maintenance.ics`)).text)).toEqual([]);
  });
});

describe("a composite whose hidden member has trouble", () => {
  it("is named in feeds and in the calendar, and the member is not", async () => {
    const { account, page, path } = await createShop();
    const database = await createMonitor(account.client, { name: "SECRET database", status_page_id: page.id });
    await createMonitor(account.client, {
      name: "Checkout & payment",
      paused: false,
      type: "composite",
      target: undefined,
      status_page_id: page.id,
      child_ids: [database.id],
    });
    const own = { owner_id: account.user_id, status_page_id: page.id, title: "Trouble", started_at: NOW - HOUR };
    await insertIncident(own, { messages: [], monitor_ids: [database.id] });
    await plan({ account, page, monitor: database }, { title: "New disks" });
    const feed = JsonFeed.parse(JSON.parse((await visit(`${path}/feed.json`)).text));
    const contentOf = (title: string) => feed.items.find((item) => item.title === title)?.content_html;
    expect(contentOf("Trouble")).toContain("Affects Checkout &amp; payment");
    expect(contentOf("Maintenance: New disks")).toContain("Affects Checkout &amp; payment");
    const calendar = (await visit(`${path}/maintenance.ics`)).text;
    expect(parseCalendar(calendar)[0]?.description).toBe("Affects Checkout & payment");
    for (const file of FILES) expect((await visit(`${path}/${file}`)).text).not.toContain("SECRET");
  });
});

describe("the calendar", () => {
  it("has every occurrence by its own id, in lines that any calendar reads", async () => {
    const shop = await createShop();
    const title = `Näxt; week, \\ 日本 ${"long ".repeat(30)}`.trim();
    const description = "Line 1\nLine 2, with; marks";
    const window = await plan(shop, { title, description, recurrence_type: "weekly" });
    const cancelled = iso(NOW - HOUR + 7 * 24 * HOUR);
    await shop.account.client.post(`${V1}/maintenance/${window.id}/occurrences/${cancelled}/cancel`);
    const { text } = await visit(`${shop.path}/maintenance.ics`);
    for (const line of text.split("\r\n")) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
    const events = parseCalendar(text);
    const starts = [0, 2, 3, 4, 5].map((weeks) => NOW - HOUR + weeks * 7 * 24 * HOUR);
    expect(events.map(({ startDate }) => startDate.toJSDate().getTime())).toEqual(starts);
    expect(events.map(({ uid }) => uid)).toEqual(starts.map((start) => `${window.id}-${start}`));
    expect(events[0]?.duration.toSeconds()).toBe(7200);
    expect([events[0]?.summary, events[0]?.description]).toEqual([title, `${description}\n\nAffects Web shop`]);
  });
});

describe("Statuspage's clients", () => {
  it("read status, components, incidents and maintenance", async () => {
    const { path, page, monitor, incident, active, planned } = await aPage();
    const summary = await readAnswer(path, "summary");
    expect(summary.page).toMatchObject({
      id: page.id,
      name: "Northwind",
      url: `http://vigil.test${path}`,
      time_zone: "UTC",
    });
    expect(summary.status).toEqual({ indicator: "major", description: "Partial outage" });
    expect(summary.components).toMatchObject([{ id: monitor.id, name: "Web shop", status: "under_maintenance" }]);
    expect(summary.incidents).toMatchObject([
      { id: incident, name: "harmless", status: "investigating", impact: "major", components: [{ id: monitor.id }] },
    ]);
    expect(summary.incidents[0].incident_updates).toMatchObject([{ body: "harmless", incident_id: incident }]);
    const windows = [
      { id: active.id, status: "in_progress", impact: "maintenance", scheduled_for: active.start_time },
      { id: planned.id, status: "scheduled", scheduled_until: planned.end_time },
    ];
    expect(summary.scheduled_maintenances).toMatchObject(windows);
    expect((await readAnswer(path, "scheduled-maintenances")).scheduled_maintenances).toMatchObject(windows);
    expect((await readAnswer(path, "scheduled-maintenances/active")).scheduled_maintenances).toMatchObject([
      windows[0],
    ]);
    expect((await readAnswer(path, "scheduled-maintenances/upcoming")).scheduled_maintenances).toMatchObject([
      windows[1],
    ]);
    expect((await readAnswer(path, "components")).components).toEqual(summary.components);
    expect((await readAnswer(path, "status")).status).toEqual(summary.status);
  });

  it("find a resolved incident among all, not among those that are unresolved", async () => {
    const { path, account, incident } = await aPage();
    await account.client.post(`${V1}/incidents/${incident}/updates`, { status: "resolved", message: "Over." });
    expect((await readAnswer(path, "incidents/unresolved")).incidents).toEqual([]);
    expect((await readAnswer(path, "incidents")).incidents).toMatchObject([
      { id: incident, status: "resolved", resolved_at: expect.any(String) },
    ]);
    expect((await readAnswer(path, "status")).status.indicator).toBe("maintenance");
  });

  it("see an outage by its weight", async () => {
    const { path, page, monitor } = await createShop();
    expect((await readAnswer(path, "status")).status.indicator).toBe("none");
    await setStatus(monitor.id, page.id, "down");
    expect((await readAnswer(path, "summary")).components).toMatchObject([{ status: "major_outage" }]);
    expect((await readAnswer(path, "status")).status).toEqual({ indicator: "critical", description: "Major outage" });
  });
});

describe("maintenance on the page", () => {
  it("is announced, and its monitor's trouble is planned while it lasts", async () => {
    const shop = await createShop();
    await setStatus(shop.monitor.id, shop.page.id, "down");
    const window = await plan(shop, { description: "We *move* things." });
    const { text } = await visit(shop.path);
    expect(text).toContain("Maintenance in progress");
    expect(text).toContain("We <em>move</em> things.");
    expect(await summaryOf(visit, shop.path)).toMatchObject({
      status: { state: "maintenance" },
      monitors: [{ status: "down", in_maintenance: true }],
      maintenance: [{ id: window.id, status: "in_progress", start: window.start_time, monitor_ids: [shop.monitor.id] }],
    });
    await shop.account.client.post(`${V1}/maintenance/${window.id}/complete`);
    expect(await summaryOf(visit, shop.path)).toMatchObject({ status: { state: "major_outage" }, maintenance: [] });
  });

  it("makes the stored page end with its next edge", async () => {
    const shop = await createShop();
    await plan(shop, { start_time: iso(NOW + 60_000), end_time: iso(NOW + 120_000) });
    await visit(shop.path);
    const { payload } = await storedPage(shop.page.slug, 2);
    const midnight = Math.ceil(NOW / (24 * HOUR)) * 24 * HOUR;
    expect(payload.valid_until).toBe(Math.min(NOW + 60_000, midnight));
  });
});

describe("the history", () => {
  it("goes back page by page, published incidents only", async () => {
    const { account, page, path } = await createShop();
    const own = { owner_id: account.user_id, status_page_id: page.id, status: "resolved" as const };
    for (let n = 0; n < 51; n += 1) {
      const started_at = NOW - n * 24 * HOUR;
      await insertIncident({ ...own, title: `No ${n}.`, started_at, resolved_at: started_at + 1, is_public: n !== 3 });
    }
    const first = await visit(`${path}/history`);
    expect(first.text).toContain("No 0.");
    expect(first.text).not.toContain("No 3.");
    const older = /href="([^"]*before=[^"]*)"/.exec(first.text)?.[1] ?? "";
    const second = await visit(older);
    expect([second.status, second.text.includes("No incidents.")]).toEqual([200, true]);
    expect((await visit(`${path}/history?before=yesterday`)).status).toBe(400);
    await account.client.put(`${V1}/status-pages/${page.id}`, { is_public: false });
    expect((await visit(`${path}/history`)).status).toBe(404);
  });
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "]]><script>alert(1)</script>",
  "&lt;script&gt;",
  '"><img src=x onerror=alert(1)>',
  "[x](javascript:alert(1))",
  "\u2028\u2029\uffff \u202e end",
  "a\r\nBEGIN:VEVENT\r\nSUMMARY:forged",
  "<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;",
  "\\n;,:\\",
];

describe("hostile texts", () => {
  it.each(HOSTILE)("cannot leave their place in any document: %j", async (hostile) => {
    const { path } = await aPage(hostile);
    const feed = (await visit(`${path}/feed.atom`)).text;
    for (const entry of parseXml(feed).feed.entry) {
      expect(Object.keys(entry).toSorted()).toEqual(["content", "id", "link", "title", "updated"]);
      expect(String(entry.content["#text"] ?? "")).not.toMatch(/<(?:script|img|svg)|href="(?!https?:|mailto:)/i);
    }
    expect(parseXml((await visit(`${path}/feed.rss`)).text).rss.channel.item).toHaveLength(4);
    for (const item of JsonFeed.parse(JSON.parse((await visit(`${path}/feed.json`)).text)).items) {
      expect(item.content_html).not.toMatch(/<(?:script|img|svg)|href="(?!https?:|mailto:)/i);
    }
    expect(parseCalendar((await visit(`${path}/maintenance.ics`)).text)).toHaveLength(2);
    expect((await readAnswer(path, "incidents")).incidents[0].name).toBe(hostile);
    for (const document of [await visit(path), await visit(`${path}/history`)]) {
      expect(document.text).not.toMatch(/<script>|<img src=x|href="javascript/i);
    }
  });

  it("in the page's name stay there, too", async () => {
    const { path, page } = await aPage();
    const name = "<b>&\"'\u0001]]>";
    await db.update(statusPages).set({ name, version: 99 }).where(eq(statusPages.id, page.id));
    expect(parseXml((await visit(`${path}/feed.atom`)).text).feed.author).toBeDefined();
    expect(parseXml((await visit(`${path}/feed.rss`)).text).rss.channel.link).toBe(`http://vigil.test${path}`);
    expect((await visit(`${path}/maintenance.ics`)).text).toContain("X-WR-CALNAME:<b>&\"']]> maintenance");
  });
});
