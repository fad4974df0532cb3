import { describe, expect, it } from "vitest";
import { QUEUES } from "../contract/queues.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { findAlarms, type ServiceState } from "./alarms.ts";
import { zeroUnits } from "./usage.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const healthy = (changes: Partial<ServiceState["queues"][number]> = {}): ServiceState["queues"] =>
  QUEUES.map((queue) => {
    const known = { queue, marker_sent_at: NOW, dead_letters: 0, dead_letter_at: null };
    return queue === "events" ? { ...known, ...changes } : known;
  });

const find = ({ units, ...changes }: Partial<Omit<ServiceState, "units">> & { units?: object } = {}) => {
  const state = { queues: healthy(), first_tick_at: NOW - HOUR_MS, last_tick_at: NOW, database_bytes: 1e9, ...changes };
  return [...findAlarms({ ...state, units: { ...zeroUnits(), ...units } }, { late_after_ms: 3 * MINUTE_MS, now: NOW })];
};

describe("findAlarms", () => {
  it.each([
    ["a healthy service", {}],
    ["a marker that is three minutes old", { queues: healthy({ marker_sent_at: NOW - 3 * MINUTE_MS }) }],
    ["dead letters an hour ago", { queues: healthy({ dead_letters: 9, dead_letter_at: NOW - HOUR_MS }) }],
    ["a database below 70 %", { database_bytes: 6.99e9 }],
    ["nine errors of ten requests", { units: { responses: 10, server_errors: 9 } }],
    ["4 % of errors", { units: { responses: 1000, server_errors: 44 } }],
    ["two failed parts", { units: { failed_parts: 2 } }],
  ])("finds nothing in %s", (_, state) => {
    expect(find(state)).toEqual([]);
  });

  it.each([
    ["queue_delayed", { queues: healthy({ marker_sent_at: NOW - 4 * MINUTE_MS }) }, "events"],
    ["dead_letters", { queues: healthy({ dead_letters: 1, dead_letter_at: NOW - HOUR_MS + 1 }) }, "events"],
    ["database_size", { database_bytes: 7e9 }, "70 %"],
    ["error_rate", { units: { responses: 200, server_errors: 10 } }, "10 of 200"],
    ["sweep_failed", { units: { failed_parts: 3 } }, "3 failures"],
    ["canaries_failed", { units: { unreachable_checks: 1 } }, "1 checks"],
  ])("finds %s", (name, state, detail) => {
    expect(find(state)).toEqual([[name, expect.stringContaining(detail)]]);
  });
});
