import { describe, expect, it } from "vitest";
import { DAY_MS } from "../lib/durations.ts";
import { planNotice } from "./expiry-notices.ts";

const END = Date.UTC(2026, 5, 1);

describe("planNotice", () => {
  it.each([
    ["31 days before the end there is none", 31, null, 30],
    ["30 days before there is one", 30, { mark: 30, days_left: 30 }, 14],
    ["a certificate first seen 20 days before gets the mark that it has passed", 20.5, { mark: 30, days_left: 20 }, 14],
    ["14 days before", 14, { mark: 14, days_left: 14 }, 7],
    ["7 days before", 7, { mark: 7, days_left: 7 }, 1],
    ["1 day before", 1, { mark: 1, days_left: 1 }, null],
    ["hours before", 0.5, { mark: 1, days_left: 0 }, null],
    ["at the end there is none", 0, null, null],
  ])("%s", (_name, days, notice, next) => {
    const next_at = next === null ? null : END - next * DAY_MS;
    expect(planNotice(END, END - days * DAY_MS)).toEqual({ notice, next_at });
  });
});
