import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { layOutSlaReport } from "../../src/report/layout.ts";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { mailsTo } from "../support/mail.ts";
import { createSchedule } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { useSink } from "../support/sink.ts";

/**
 * Everything that anybody reads of a day in a zone five hours and three quarters ahead: what happens in the first quarter of
 * an hour by UTC happens in its last quarter there, so that a time in the wrong zone is known by its minutes.
 */
const ZONE = "Asia/Kathmandu";
const NAMED = /^(?:GMT\+5:45|\(Asia\/Kathmandu\)|\+0545)/;
const UTC = /^(?:\(UTC\)|UTC)/;

const sink = useSink();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

interface Written {
  where: string;
  text: string;
  /** Of all its times, where the document names it once. */
  zone?: string;
}

/** In words alone; a date of a feed is for programs. */
const plain = (html: string) =>
  html
    .replace(/<(?:pubDate|lastBuildDate)>[^<]*/g, "")
    .replace(/<(style|script|template)[^>]*>.*?<\/\1>/gs, " ")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const CLOCK = /(?<![\d:+-])\d{1,2}:(\d{2})(?::\d{2})?(?![\d:])/g;
/** The end of a span that names its zone once: "02:30 to 04:00 (Europe/Berlin)". */
const END = /^(?:to|until|bis|–|-) (?:[^:"\n]{0,30} )?\d{1,2}:\d\d(?::\d\d)?\s*/;

/** Clock times that name no zone, or show another one than they name. */
function findFaults({ where, text, zone: common }: Written): string[] {
  const written = text
    // Instants of programs, which end in a Z, examples of what is typed, and addresses.
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
    .replace(/[Ee]\.g\. [^.;]*/g, "")
    .replace(/https?:\S+/g, "");
  return [...written.matchAll(CLOCK)].flatMap(({ 0: clock, 1: minutes, index }) => {
    const after = written.slice(index + clock.length).trimStart();
    const named = after.slice(END.exec(after)?.[0].length ?? 0).replace(/^GMT\\+/, "GMT");
    const isLocal = Number(minutes) >= 45;
    const isNamed = (zone: string, as: RegExp) => as.test(named) || common === zone;
    const isRight = isLocal ? isNamed(ZONE, NAMED) : isNamed("UTC", UTC) || clock === "00:00";
    return isRight ? [] : [`${where}: …${written.slice(Math.max(0, index - 60), index + 60).replace(/\s+/g, " ")}`];
  });
}

/** A public page names it at its foot, the calendar of maintenance and a form in a sentence. */
function zoneOf(html: string): Pick<Written, "zone"> {
  const [, zone] = /data-zone="([^"]+)"/.exec(html) ?? /Times (?:are )?in (Asia\/Kathmandu|UTC)/.exec(html) ?? [];
  return zone === undefined ? {} : { zone };
}

it("names the zone of its reader beside each time, or once where a page is read", { timeout: 240_000 }, async () => {
  const day = await aDay(sink, {
    start: Date.parse("2026-03-10T20:00:00Z"),
    page: { timezone: ZONE, is_public: true },
  });
  const { account, status_page_id } = day;
  const chats = ["slack", "discord", "teams", "mattermost", "google_chat", "rocket_chat"];
  for (const provider of chats.slice(1)) await day.addWebhook(provider, { provider });
  await day.subscribe("email", "reader@example.com");
  await day.subscribe("slack", "https://sink.test/reader-slack");
  await day.subscribe("discord", "https://sink.test/reader-discord");
  const at = (minutes: number) => new Date(day.start + minutes * MINUTE).toISOString();
  await createSchedule(
    { account, page: status_page_id },
    {
      name: "Nights",
      timezone: ZONE,
      shifts: [
        { user_id: account.user_id, start_at: at(-60), end_at: at(5) },
        { user_id: account.user_id, start_at: at(65), end_at: at(365) },
      ],
    },
  );
  const shop = await day.addMonitor("Shop", { created_at: day.start });
  const many: string[] = [];
  for (let n = 1; n <= 6; n++) many.push(await day.addMonitor(`Store ${n}`, { created_at: day.start }));
  await day.change(shop, "down", 3 * MINUTE);
  await day.passUntil(5 * MINUTE);
  const [incident] = (await account.client.get(`${V1}/incidents?status_page_id=${status_page_id}`)).body;
  await account.client.post(`${V1}/incidents/${incident.id}/updates`, { message: "We look.", status: "identified" });
  await day.change(shop, "up", 12 * MINUTE);
  await day.passUntil(60 * MINUTE);
  const planned = await account.client.post(`${V1}/maintenance`, {
    status_page_id,
    title: "New disks",
    is_public: true,
    start_time: at(125),
    end_time: at(130),
    targets: [{ target_type: "monitor", target_id: shop }],
  });
  expect(planned.status).toBe(201);
  await day.passUntil(132 * MINUTE);
  for (const [n, id] of many.entries()) await day.change(id, "down", 180 * MINUTE + n * 100);
  await day.passUntil(185 * MINUTE);
  for (const [n, id] of many.entries()) await day.change(id, "up", 190 * MINUTE + n * 100);
  await day.passUntil(194 * MINUTE);

  const written: Written[] = [];
  for (const { subject, text, html } of await day.mails()) {
    written.push({ where: `mail "${subject}"`, text: `${subject}\n${text}` });
    written.push({ where: `mail "${subject}", HTML`, text: plain(html ?? "") });
  }
  const news = await mailsTo("reader@example.com");
  for (const { subject, text, html } of news) {
    written.push({ where: `news "${subject}"`, text: `${subject}\n${text}` });
    written.push({ where: `news "${subject}", HTML`, text: plain(html ?? "") });
  }
  for (const who of ["chat", "pager", ...chats.slice(1)]) {
    for (const text of day.textsTo(who)) written.push({ where: who, text });
  }
  for (const { url, body } of sink.received.filter(({ url }) => url.includes("/reader-"))) {
    written.push({ where: url, text: body });
  }
  const notified = (await account.client.get("/api/core/v1/notifications")).body;
  written.push({ where: "notifications", text: JSON.stringify(notified) });

  const [page] = await openDb(env.DB).select().from(statusPages).where(eq(statusPages.id, status_page_id));
  const visit = createVisitor();
  const base = `/status/${page?.slug}`;
  for (const path of [
    "",
    "/history",
    `/incidents/${incident.id}`,
    "/feed.rss",
    "/feed.atom",
    "/maintenance.ics",
    "?lang=de",
  ]) {
    const { status, text } = await visit(base + path);
    expect([path, status]).toEqual([path, 200]);
    written.push({ where: base + path, text: plain(text), ...zoneOf(text) });
  }
  const report = (await account.client.get(`${V1}/status-pages/${status_page_id}/sla/export?format=json`)).body;
  const printed = layOutSlaReport(report, {
    page_name: "Page",
    logo: null,
    brand_color: null,
    timezone: ZONE,
    policy_name: null,
    exclude_maintenance: true,
    degraded_counts_as_downtime: false,
    made_at: Date.now(),
  });
  const marks = printed.flatMap((sheet) => sheet.marks);
  written.push(...marks.flatMap((mark) => (mark.kind === "text" ? [{ where: "report as PDF", text: mark.text }] : [])));
  await crawl(await browserOf(account), (path, text) => {
    if (!path.includes("/components")) written.push({ where: path, text: plain(text), ...zoneOf(text) });
  });
  expect(news.length).toBeGreaterThan(4);
  expect(written.filter(({ where, text }) => where.endsWith("PDF") && text.includes(`(${ZONE})`))).toHaveLength(2);
  expect(written.flatMap(findFaults)).toEqual([]);
});
