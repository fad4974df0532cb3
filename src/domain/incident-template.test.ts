import { expect, it } from "vitest";
import { fillPlaceholders, fillTitle, templateValues } from "./incident-template.ts";

const VALUES = { monitor: "Shop {{page}}", page: "Northwind $&", time: "2026-01-02T03:04:05.000Z" };

it.each([
  ["fills every placeholder, with or without blanks", "{{monitor}} of {{ page }}", "Shop {{page}} of Northwind $&"],
  ["fills a placeholder as often as it stands", "{{time}} {{time}}", `${VALUES.time} ${VALUES.time}`],
  ["keeps what is no placeholder", "{{user}} {monitor}", "{{user}} {monitor}"],
])("%s", (_name, text, filled) => {
  expect(fillPlaceholders(text, VALUES)).toBe(filled);
});

it.each([
  ["en", "Europe/Berlin", "2 Jan 2026, 04:04 CET"],
  ["de", "Europe/Berlin", "2. Jan. 2026, 04:04 MEZ"],
  ["fr", "UTC", "2 janv. 2026, 03:04 UTC"],
] as const)("tells the time in %s as people in %s read it", (language, timezone, time) => {
  const page = { name: "Northwind", language, timezone };
  expect(templateValues({ page, names: [], at: Date.UTC(2026, 0, 2, 3, 4, 5) }).time).toBe(time);
});

it("names every monitor once, in the order of names, and the page where there is none", () => {
  const page = { name: "Northwind", language: "en", timezone: "UTC" } as const;
  expect(templateValues({ page, names: ["Shop 10", "Shop 2", "Shop 10"], at: 0 }).monitor).toBe("Shop 2, Shop 10");
  expect(templateValues({ page, names: [], at: 0 }).monitor).toBe("Northwind");
});

it("keeps a title within its length", () => {
  expect(fillTitle("{{monitor}}".repeat(30), VALUES)).toBe(VALUES.monitor.repeat(30).slice(0, 200).trim());
});
