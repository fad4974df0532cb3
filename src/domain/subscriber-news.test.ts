import { describe, expect, it } from "vitest";
import { toBody, toHtmlMail, toPlainText, wordConfirmation, wordNews } from "./subscriber-news.ts";

const NEWS = {
  event: "maintenance.started",
  title: "Move to new racks",
  status: "in_progress",
  message: "First half.\n\nSecond half,\nin two lines.",
  starts_at: "2026-11-21T03:00:00.000Z",
  ends_at: "2026-11-21T05:00:00.000Z",
};
const LINKS = {
  page: "https://v.test/status/n",
  manage: "https://v.test/m?token=a",
  unsubscribe: "https://v.test/u?token=a",
};

describe("a message to subscribers", () => {
  it("reads well as plain text", () => {
    expect(toPlainText(wordNews("Northwind", NEWS, LINKS))).toBe(
      [
        "Maintenance has begun: Move to new racks",
        "Status: In progress",
        "From 2026-11-21 03:00 to 2026-11-21 05:00 (UTC)",
        "First half.",
        "Second half,\nin two lines.",
        "See the status page: https://v.test/status/n",
        "-- \nYou get this because you subscribed to Northwind. Change what you are told: https://v.test/m?token=a\nUnsubscribe: https://v.test/u?token=a\n",
      ].join("\n\n"),
    );
  });

  it.each([
    ["incident.created", "new incident"],
    ["incident.updated", "incident updated"],
    ["incident.resolved", "incident resolved"],
    ["maintenance.completed", "maintenance is over"],
    ["incident.invented", "update"],
  ])("has a subject for %s that nobody but us wrote", (event, words) => {
    expect(wordNews("North\r\nBcc: x", { ...NEWS, event }, LINKS).subject).toBe(`North Bcc: x: ${words}`);
  });

  it("lets no text become markup, in any form", () => {
    const hostile = {
      ...NEWS,
      title: `"><img src=x onerror=alert(1)>`,
      message: "<script>alert(1)</script> @here <!channel> **b**",
    };
    const wording = wordNews("<i>N</i>", hostile, LINKS);
    const html = toHtmlMail(wording);
    expect(html).not.toMatch(/<img|<script|<i>/);
    expect(html).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
    expect(JSON.parse(toBody("slack", wording, hostile)).text).toContain("&lt;!channel&gt;");
    expect(JSON.parse(toBody("discord", wording, hostile)).content).toContain("\\@here \\<!channel\\> \\*\\*b\\*\\*");
  });

  it("fits into a Discord message with its link", () => {
    const long = { ...NEWS, message: "*".repeat(5000) };
    const { content } = JSON.parse(toBody("discord", wordNews("N", long, LINKS), long));
    expect(content.length).toBe(2000);
    expect(content.endsWith("\nSee the status page: https://v.test/status/n")).toBe(true);
  });

  it("asks for a confirmation and offers nothing else", () => {
    const wording = wordConfirmation("Northwind", "https://v.test/c?token=a");
    expect(wording).toMatchObject({ subject: "Northwind: confirm your subscription", unsubscribe: null });
    expect(JSON.parse(toBody("webhook", wording, null))).toMatchObject({
      event: "subscription.confirm",
      url: "https://v.test/c?token=a",
      unsubscribe_url: null,
    });
    expect(toHtmlMail(wording)).toContain('href="https://v.test/c?token=a"');
  });
});
