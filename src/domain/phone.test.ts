import { describe, expect, it } from "vitest";
import type { AlertMessage } from "./alert-messages.ts";
import { composeSms, countSmsParts, isAllowedNumber } from "./phone.ts";

const LINK = "https://vigil.example.com/app/incidents/0199c0de-0000-7000-8000-000000000001";
const message = (title: string): AlertMessage => ({
  tone: "down",
  title,
  text: "HTTP 500",
  facts: [],
  links: [
    { label: "Acknowledge", url: `https://vigil.example.com/acknowledge/${"x".repeat(110)}` },
    { label: "Open incident", url: LINK },
  ],
  thread: { id: "1", state: "down" },
  is_resolved: false,
});

describe("a text message", () => {
  it("says in one part what is down, how to answer and where to read on", () => {
    const text = composeSms(message("Shop is down"), { canReply: true });
    expect(text).toBe(`Alert: Shop is down\nReply ACK to acknowledge.\n${LINK}`);
    expect(countSmsParts(text)).toBe(1);
  });

  it("asks for no reply where none arrives", () => {
    expect(composeSms(message("Shop is down"), { canReply: false })).toBe(`Alert: Shop is down\n${LINK}`);
  });

  it.each([
    ["long names", "A very long name of a monitor ".repeat(20), 1],
    ["signs that take two places", "[{~}] ".repeat(60), 1],
    ["typographic quotes and dashes", "“Shop” – it’s down…", 1],
    ["names in other alphabets", "Магазин не отвечает", 2],
    ["long names in other alphabets", "Магазин ".repeat(60), 2],
    ["emoji", "🛒".repeat(200), 2],
  ])("costs few parts with %s", (_name, title, parts) => {
    const text = composeSms(message(title), { canReply: true });
    expect(countSmsParts(text)).toBe(parts);
    expect(text.endsWith(LINK)).toBe(true);
    expect(text.isWellFormed()).toBe(true);
  });

  it.each([
    ["", 1],
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["€".repeat(80), 1],
    ["€".repeat(81), 2],
    ["a".repeat(307), 3],
    ["ж".repeat(70), 1],
    ["ж".repeat(71), 2],
  ])("of %j is counted as its carrier counts it", (text, parts) => {
    expect(countSmsParts(text)).toBe(parts);
  });
});

describe("a number", () => {
  it.each([
    ["+4930123456", "+49, +43", true],
    ["+4330123456", "+49 +43", true],
    ["+18765550100", "+1212,+1646", false],
    ["+12125550100", "+1212,+1646", true],
    ["+4930123456", "+490", false],
    ["+4930123456", "", false],
  ])("%s is allowed by %j: %s", (number, countries, isAllowed) => {
    expect(isAllowedNumber(number, countries)).toBe(isAllowed);
  });
});
