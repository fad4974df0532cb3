import { describe, expect, it } from "vitest";
import { cleanText, shorten, toVisualOrder } from "./text-line.ts";

const order = (text: string) =>
  toVisualOrder(text)
    .map((shown) => shown.text)
    .join("");

describe("toVisualOrder", () => {
  it.each([
    ["from left to right", "Shop 監視", "Shop 監視"],
    ["Hebrew from right to left", "אבג", "גבא"],
    ["Latin within Hebrew as it is", "אב API ג", "ג API בא"],
    ["Hebrew within Latin", "API אבג 2", "API 2 גבא"],
    ["numbers as they are", "אב 123", "123 בא"],
    ["brackets as they then look", "אב (x)", "(x) בא"],
    ["no invisible characters", "a\u200bb\u202ec\ufe0f\u00ad", "abc"],
    ["both parts of a joined pair", "لا", "ال"],
  ])("sets %s", (_name, text, expected) => expect(order(text)).toBe(expected));

  it("draws a joined pair once, over the room of both letters", () => {
    expect(toVisualOrder("لا")).toEqual([
      { drawn: 0xfefb, text: "ا", half: "first" },
      { drawn: 0xfefb, text: "ل", half: "second" },
    ]);
  });
});

describe("cleanText", () => {
  it.each([
    ["a line of what was several", "a\r\n\tb", "a b"],
    ["accents on their letters", "Zu\u0308rich", "Zürich"],
    ["a sign for half a character", "a\ud800b", "a\ufffdb"],
  ])("makes %s", (_name, text, expected) => expect(cleanText(text)).toBe(expected));
});

describe("shorten", () => {
  const upTo = (length: number) => (text: string) => text.length <= length;

  it.each([
    ["WWWW", 4, "WWWW"],
    ["WWWW", 3, "WW…"],
    ["WWWW", 0, "…"],
    ["one two", 6, "one t…"],
    ["one two", 5, "one…"],
    ["e\u0301e\u0301e\u0301", 5, "e\u0301e\u0301…"],
    ["e\u0301e\u0301e\u0301", 4, "e\u0301…"],
    ["", 4, ""],
  ])("leaves of %j within %i: %j", (text, length, expected) => expect(shorten(text, upTo(length))).toBe(expected));
});
