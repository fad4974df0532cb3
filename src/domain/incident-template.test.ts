import { expect, it } from "vitest";
import { fillPlaceholders, fillTitle } from "./incident-template.ts";

const VALUES = { monitor: "Shop {{page}}", page: "Northwind $&", time: "2026-01-02T03:04:05.000Z" };

it.each([
  ["fills every placeholder, with or without blanks", "{{monitor}} of {{ page }}", "Shop {{page}} of Northwind $&"],
  ["fills a placeholder as often as it stands", "{{time}} {{time}}", `${VALUES.time} ${VALUES.time}`],
  ["keeps what is no placeholder", "{{user}} {monitor}", "{{user}} {monitor}"],
])("%s", (_name, text, filled) => {
  expect(fillPlaceholders(text, VALUES)).toBe(filled);
});

it("keeps a title within its length", () => {
  expect(fillTitle("{{monitor}}".repeat(30), VALUES)).toBe(VALUES.monitor.repeat(30).slice(0, 200).trim());
});
