import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderLetter } from "../../src/mail/letter-html.ts";
import { DARK, LIGHT } from "../../src/ui/design/tokens.ts";
import { type MailView, renderMail } from "../../src/ui/mail-document.ts";
import { parseMarkdown } from "../../src/ui/markdown.ts";
import { CHROMIUM, DESKTOP, isWiderThanWindow, PHONE, SHOTS } from "./chromium.ts";
import { FIND_WEAK_TEXT } from "./contrast.ts";

const OUTAGE: MailView = {
  subject: "Checkout is down (HTTP 503)",
  name: "Northwind Status",
  color: LIGHT.down,
  pill: { tone: "down", label: "Down" },
  heading: "Checkout is down (HTTP 503)",
  facts: [
    { label: "Since", value: "20 Nov 2026, 14:20 (Europe/Berlin)" },
    { label: "Address", value: `https://shop.example/checkout?${"session=".repeat(30)}` },
  ],
  body: parseMarkdown(
    "We **know** the cause: `pool exhausted`.\n\n> As in May.\n\n- [Runbook](https://wiki.example)\n- Call\n\n```\nERROR 53300\n```",
  ),
  actions: [
    { label: "Acknowledge", url: "https://vigil.test/a" },
    { label: "Open the incident", url: "https://vigil.test/b" },
  ],
  reason: "You are on call.",
  footer: [{ label: "Unsubscribe", url: "https://vigil.test/c" }],
};

const PILLS = ["degraded", "up", "accent"] as const;
const MAILS: Record<string, string> = {
  outage: renderMail(OUTAGE),
  ...Object.fromEntries(PILLS.map((tone) => [tone, renderMail({ ...OUTAGE, pill: { tone, label: "Resolved" } })])),
  arabic: renderMail({ ...OUTAGE, written: { language: "ar", direction: "rtl" }, heading: "متجر متوقف" }),
  letter: renderLetter({
    subject: "Reset your password",
    text: "Hello,\n\nopen this link:\n\nhttps://vigil.test/app/reset\n\nAccount: a@b.test\nTime: 1 May 2026\n\nIf it was not you, ignore it.",
    action: "Choose a new password",
  }),
};

describe.skipIf(!existsSync(CHROMIUM))("a mail in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  const grounds = [
    ["light", LIGHT["neutral-2"], LIGHT["neutral-1"]],
    ["dark", DARK["neutral-1"], DARK.raised],
  ] as const;

  it.each(
    grounds,
  )("follows the %s scheme of its reader, every word readable, at any width", async (colorScheme, ground, sheet) => {
    for (const [name, html] of Object.entries(MAILS)) {
      for (const { viewport } of [DESKTOP, PHONE]) {
        const page = await browser.newPage({ colorScheme, viewport });
        await page.setContent(html);
        if (SHOTS)
          await page.screenshot({ path: `${SHOTS}/mail-${name}-${viewport.width}-${colorScheme}.png`, fullPage: true });
        const backgrounds = await page.evaluate<string[]>(
          "[document.body, document.querySelector('.sheet')].map((each) => getComputedStyle(each).backgroundColor)",
        );
        expect(backgrounds).toEqual([toRgb(ground), toRgb(sheet)]);
        expect([name, await page.evaluate(FIND_WEAK_TEXT)]).toEqual([name, []]);
        expect([name, await isWiderThanWindow(page)]).toEqual([name, false]);
        await page.close();
      }
    }
  });

  it("is complete for a program that drops its style sheet, in either scheme", async () => {
    const page = await browser.newPage({ colorScheme: "dark" });
    await page.setContent((MAILS.outage ?? "").replace(/<style>.*?<\/style>/, ""));
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(toRgb(LIGHT["neutral-2"]));
    expect(await page.evaluate(FIND_WEAK_TEXT)).toEqual([]);
    await page.close();
  });
});

function toRgb(hex: string): string {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;
}
