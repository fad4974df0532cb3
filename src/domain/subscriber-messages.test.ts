import { describe, expect, it } from "vitest";
import { readSubscriberTexts } from "../../test/support/texts.ts";
import { LANGUAGES, type Language } from "../contract/status-page.ts";
import { SUBSCRIBER_EVENTS, type SubscriberMessageContent } from "../contract/subscriber.ts";
import { englishSubscriberTexts } from "../language/texts.ts";
import { formatChannelBody, formatMail } from "../notifiers/subscriber-message-formats.ts";
import { composeConfirmationMessage, composeUpdateMessage } from "./subscriber-messages.ts";

const PAGE = { name: "Northwind", timezone: "Europe/Berlin", brand_color: "#0a7d33" };
const FRAME = { page: PAGE, texts: englishSubscriberTexts() };
const NEWS: SubscriberMessageContent = {
  event: "incident.updated",
  title: "Checkout fails",
  status: "identified",
  severity: "major",
  message: "A **bad** release.\n\nWe roll it back,\nsee [the log](https://log.test/?a=1&b=2).",
  starts_at: null,
  ends_at: null,
  at: "2026-11-21T03:00:00.000Z",
  affected: ["Web shop", "API"],
  incident_id: "i1",
  about: [],
  together: null,
};
const WINDOW: SubscriberMessageContent = {
  ...NEWS,
  event: "maintenance.started",
  title: "Move to new racks",
  status: "in_progress",
  severity: null,
  starts_at: "2026-11-21T03:00:00.000Z",
  ends_at: "2026-11-21T05:00:00.000Z",
  incident_id: null,
};
const LINKS = {
  page: "https://v.test/status/n",
  incident: "https://v.test/status/n/incidents/i1",
  manage: "https://v.test/m?token=a",
  unsubscribe: "https://v.test/u?token=a",
};
const whenOf = (news: Partial<SubscriberMessageContent>, timezone: string) =>
  composeUpdateMessage({ ...FRAME, page: { ...PAGE, timezone } }, { ...WINDOW, ...news }, LINKS).facts.find(
    ({ label }) => label === "When",
  )?.value;

describe("a message to subscribers", () => {
  it("reads well as plain text", () => {
    expect(formatMail(composeUpdateMessage(FRAME, NEWS, LINKS)).text).toBe(
      [
        "Incident updated: Checkout fails",
        "Status: Identified\nSeverity: Major\nAffects: Web shop, API\nPosted: 21 Nov 2026, 04:00 CET",
        "A **bad** release.",
        "We roll it back,\nsee [the log](https://log.test/?a=1&b=2).",
        "See the incident: https://v.test/status/n/incidents/i1",
        "-- \nNorthwind: https://v.test/status/n\nYou receive this message because you are subscribed to Northwind.\nManage your subscription: https://v.test/m?token=a\nUnsubscribe: https://v.test/u?token=a\n",
      ].join("\n\n"),
    );
  });

  it.each<[Language, string[]]>([
    [
      "de",
      [
        "Störung aktualisiert: Checkout fails",
        "Status: Ursache gefunden\nSchweregrad: Erheblich\nBetrifft: Web shop, API\nGemeldet: 21. Nov. 2026, 04:00 MEZ",
        "Störung ansehen: https://v.test/status/n/incidents/i1",
        "-- \nNorthwind: https://v.test/status/n\nSie erhalten diese Nachricht, weil Sie Northwind abonniert haben.\nAbonnement verwalten: https://v.test/m?token=a\nAbbestellen: https://v.test/u?token=a\n",
      ],
    ],
    [
      "ja",
      [
        "インシデントの更新：Checkout fails",
        "状態：原因特定\n重大度：重大\n影響範囲：Web shop、API\n投稿：2026年11月21日 04:00 GMT+1",
        "インシデントを見る：https://v.test/status/n/incidents/i1",
        "-- \nNorthwind：https://v.test/status/n\nNorthwind を購読しているため、このメッセージをお送りしています。\n購読の設定を変更：https://v.test/m?token=a\n購読を解除：https://v.test/u?token=a\n",
      ],
    ],
    [
      "ar",
      [
        "تحديث الحادث: Checkout fails",
        "الحالة: عُرف السبب\nالمستوى: كبير\nيؤثر في: Web shop، API\nنُشر: 21 نوفمبر 2026، 04:00 غرينتش+1",
        "عرض الحادث: https://v.test/status/n/incidents/i1",
        "-- \nNorthwind: https://v.test/status/n\nتصلك هذه الرسالة لأنك مشترك في Northwind.\nإدارة اشتراكك: https://v.test/m?token=a\nإلغاء الاشتراك: https://v.test/u?token=a\n",
      ],
    ],
  ])("is in %s from the first word to the last, but for what people wrote", (language, paragraphs) => {
    const texts = readSubscriberTexts(language);
    const draft = composeUpdateMessage({ ...FRAME, texts }, { ...NEWS, message: "" }, LINKS);
    expect(formatMail(draft).text).toBe(paragraphs.join("\n\n"));
  });

  it("says of which language its HTML is, and runs from right to left where that does", () => {
    const htmlIn = (language: Language) =>
      formatMail(composeUpdateMessage({ ...FRAME, texts: readSubscriberTexts(language) }, NEWS, LINKS)).html;
    expect(htmlIn("en")).toContain('<html lang="en"><head>');
    expect(htmlIn("zh-Hant")).toContain('<html lang="zh-Hant"><head>');
    expect(htmlIn("ar")).toMatch(
      /<html lang="ar" dir="rtl">.*<div dir="rtl" class="sheet" style="max-width.*<p dir="rtl" class="quiet" style="max/s,
    );
    expect(htmlIn("ar")).toMatch(/align="right" valign="top" class="quiet edge" style="[^"]*padding-left:24px/);
    expect(htmlIn("ar")).toMatch(/<h1 dir="auto" class="text" style="[^"]*text-align:right/);
    expect(htmlIn("ar")).toMatch(/<td dir="auto" width="100%" align="right"/);
  });

  it.each(LANGUAGES)("has the pill of what it reports in %s", (language) => {
    const frame = { ...FRAME, texts: readSubscriberTexts(language) };
    const toneOf = (event: SubscriberMessageContent["event"]) =>
      composeUpdateMessage(frame, { ...NEWS, event }, LINKS).pill?.tone;
    expect(SUBSCRIBER_EVENTS.map((event) => [event, toneOf(event)])).toEqual([
      ["incident.created", "degraded"],
      ["incident.updated", "degraded"],
      ["incident.resolved", "up"],
      ["incident.withdrawn", "accent"],
      ["maintenance.started", "accent"],
      ["maintenance.completed", "up"],
      ["maintenance.scheduled", "accent"],
      ["maintenance.rescheduled", "accent"],
      ["maintenance.cancelled", "accent"],
      ["maintenance.updated", "accent"],
    ]);
  });

  it("shows the text of people as it was meant in HTML", () => {
    const { html } = formatMail(composeUpdateMessage(FRAME, NEWS, LINKS));
    expect(html).toContain("A <strong>bad</strong> release.");
    expect(html).toContain('<a href="https://log.test/?a=1&amp;b=2" rel="nofollow noopener" class="link" style=');
    expect(html).toContain("#0a7d33");
    for (const link of Object.values(LINKS)) expect(html).toContain(`href="${link}"`);
  });

  it.each<[string, Partial<SubscriberMessageContent>, string, string]>([
    ["in the page's zone", {}, "Europe/Berlin", "21 Nov 2026, 04:00 to 06:00 CET"],
    ["in UTC", {}, "UTC", "21 Nov 2026, 03:00 to 05:00 UTC"],
    ["over midnight", {}, "America/New_York", "20 Nov 2026, 22:00 to 21 Nov 2026, 00:00 GMT-5"],
    [
      "over a change of clocks",
      { starts_at: "2026-10-25T00:30:00.000Z", ends_at: "2026-10-25T01:30:00.000Z" },
      "Europe/Berlin",
      "25 Oct 2026, 02:30 CEST to 02:30 CET",
    ],
  ])("says when, %s", (_name, times, timezone, expected) => {
    expect(whenOf(times, timezone)).toBe(expected);
  });

  it("names ten of many that are affected", () => {
    const affected = Array.from({ length: 12 }, (_, n) => `S${n}`);
    const { facts } = composeUpdateMessage(FRAME, { ...NEWS, affected }, LINKS);
    expect(facts).toContainEqual({ label: "Affects", value: "S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 and 2 more" });
  });

  it.each([
    ["incident.created", "New incident"],
    ["incident.updated", "Incident updated"],
    ["incident.resolved", "Incident resolved"],
    ["maintenance.scheduled", "Maintenance scheduled"],
    ["maintenance.completed", "Maintenance completed"],
  ] as const)("has a subject for %s that nobody but us wrote", (event, words) => {
    const page = { ...PAGE, name: "North\r\nBcc: x" };
    expect(composeUpdateMessage({ ...FRAME, page }, { ...NEWS, event }, LINKS).subject).toBe(`${words}: North Bcc: x`);
  });

  it("lets no text become markup, in any form", () => {
    const hostile = {
      ...NEWS,
      title: `"><img src=x onerror=alert(1)>`,
      message: "<script>alert(1)</script> @here <!channel> **b** [x](javascript:alert(1))",
      affected: ["<img src=x>"],
    };
    const wording = composeUpdateMessage({ ...FRAME, page: { ...PAGE, name: "<i>N</i>" } }, hostile, LINKS);
    const { html } = formatMail(wording);
    expect(html).not.toMatch(/<img|<script|<i>|href="javascript/);
    expect(html).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
    expect(JSON.parse(formatChannelBody("slack", wording, hostile)).text).toContain("&lt;!channel&gt;");
    expect(JSON.parse(formatChannelBody("discord", wording, hostile)).content).toContain(
      "\\@here \\<!channel\\> \\*\\*b\\*\\*",
    );
  });

  it("fits into a Discord message with its links", () => {
    const long = { ...NEWS, message: "*".repeat(5000) };
    const { content } = JSON.parse(formatChannelBody("discord", composeUpdateMessage(FRAME, long, LINKS), long));
    expect(content.length).toBe(2000);
    expect(
      content.endsWith(`\n[See the incident](<${LINKS.incident}>) · [Change or unsubscribe](<${LINKS.manage}>)`),
    ).toBe(true);
  });

  it("gives programs everything as data", () => {
    expect(JSON.parse(formatChannelBody("webhook", composeUpdateMessage(FRAME, NEWS, LINKS), NEWS))).toEqual({
      event: "incident.updated",
      page: { name: "Northwind", url: LINKS.page },
      incident_id: "i1",
      title: "Checkout fails",
      status: "identified",
      severity: "major",
      message: NEWS.message,
      affected: ["Web shop", "API"],
      created_at: "2026-11-21T03:00:00.000Z",
      starts_at: null,
      ends_at: null,
      url: LINKS.incident,
      unsubscribe_url: LINKS.unsubscribe,
    });
  });

  it("asks for a confirmation and offers nothing else", () => {
    const wording = composeConfirmationMessage(FRAME, { page: LINKS.page, confirm: "https://v.test/c?token=a" });
    expect(wording).toMatchObject({ subject: "Confirm your subscription to Northwind", links: { unsubscribe: null } });
    expect(JSON.parse(formatChannelBody("webhook", wording, null))).toMatchObject({
      event: "subscription.confirm",
      url: "https://v.test/c?token=a",
      unsubscribe_url: null,
    });
    expect(formatMail(wording).html).toContain('href="https://v.test/c?token=a"');
  });
});
