import { describe, expect, it } from "vitest";
import { renderLetter } from "./letter-html.ts";

const LINK = "https://vigil.test/app/reset?token=a&b=c";
const text = [
  "Hello,",
  "ada@vigil.test asked to reset the password of your account.",
  `To choose a new password, open this link:`,
  LINK,
  "Account: a@b.test\nTime: 1 May 2026",
  "If this was not you: <ignore> it.",
].join("\n\n");
const html = renderLetter({ subject: "Reset your password", text, action: "Choose a new password" });

describe("the HTML of a letter", () => {
  it("has the subject as its heading in place of the greeting, and one button for its one address", () => {
    expect(html).toContain(">Reset your password</h1>");
    expect(html).not.toContain("Hello");
    expect(html).toContain(">ada@vigil.test asked");
    const buttons = [...html.matchAll(/<a href="([^"]+)" class="button" style="[^"]+">(.*?)<\/a>/g)].map(
      ([, href, label]) => [href, label],
    );
    expect(buttons).toEqual([[LINK.replace("&", "&amp;"), "Choose a new password"]]);
  });

  it("has lines of facts as a table, and sentences as they are", () => {
    expect(html).toMatch(/<th [^>]*>Account<\/th><td [^>]*>a@b\.test<\/td>.*<th [^>]*>Time<\/th>/);
    expect(html).toContain("If this was not you: &lt;ignore&gt; it.");
  });

  it("loads nothing from elsewhere", () => expect(html).not.toMatch(/<img|<link|@import|url\(/));
});
