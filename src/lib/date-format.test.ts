import { expect, it } from "vitest";
import { formatMoment } from "./date-format.ts";

it.each([
  ["2026-11-28T20:53:59.999Z", "UTC", "28 November 2026, 20:53 (UTC)"],
  ["2026-07-01T22:00:00Z", "Europe/Berlin", "2 July 2026, 00:00 (Europe/Berlin)"],
  ["2026-10-25T00:30:00Z", "Europe/Berlin", "25 October 2026, 02:30 CEST (Europe/Berlin)"],
  ["2026-10-25T01:30:00Z", "Europe/Berlin", "25 October 2026, 02:30 CET (Europe/Berlin)"],
  ["2026-10-25T02:00:00Z", "Europe/Berlin", "25 October 2026, 03:00 (Europe/Berlin)"],
  ["2026-12-31T23:30:00Z", "Asia/Kathmandu", "1 January 2027, 05:15 (Asia/Kathmandu)"],
])("%s in %s reads %s", (instant, timezone, text) => {
  expect(formatMoment(Date.parse(instant), timezone)).toBe(text);
});
