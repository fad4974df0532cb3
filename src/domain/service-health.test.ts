import { describe, expect, it } from "vitest";
import { QUEUES } from "../contract/queues.ts";
import { computeDatabaseUse, listLateQueues } from "./service-health.ts";

const AT = Date.parse("2026-03-01T10:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LATE_AFTER = 3 * MINUTE;

describe("a queue", () => {
  it.each<[name: string, marker: number | null, first: number | null, last: number | null, isLate: boolean]>([
    ["is not late before the first tick", null, null, null, false],
    ["is not late with the first tick, whose marker is on its way", null, AT, AT, false],
    ["is not late while its first marker has three minutes", null, AT - LATE_AFTER, AT, false],
    ["is late when no marker came for longer than that", null, AT - LATE_AFTER - 1, AT, true],
    ["is not late when a marker is three minutes older than the last tick", AT - LATE_AFTER, AT - HOUR, AT, false],
    ["is late when it is older", AT - LATE_AFTER - 1, AT - HOUR, AT, true],
    ["is not late because the ticks stopped", AT - HOUR, AT - 2 * HOUR, AT - HOUR, false],
  ])("%s", (_name, marker_sent_at, first_tick_at, last_tick_at, isLate) => {
    const others = QUEUES.filter((queue) => queue !== "events").map((queue) => ({ queue, marker_sent_at: AT }));
    const queues = [...others, { queue: "events" as const, marker_sent_at }];
    const late = listLateQueues({ queues, first_tick_at, last_tick_at }, LATE_AFTER);
    expect(late).toEqual(isLate ? ["events"] : []);
  });

  it("is late as well when its consumer never recorded anything", () => {
    const known = { queues: [], first_tick_at: AT - HOUR, last_tick_at: AT };
    expect(listLateQueues(known, LATE_AFTER)).toEqual([...QUEUES]);
  });
});

describe("the database", () => {
  it.each([
    [0, { percent: 0, is_nearly_full: false }],
    [6_999_999_999, { percent: 69, is_nearly_full: false }],
    [7_000_000_000, { percent: 70, is_nearly_full: true }],
    [10_000_000_000, { percent: 100, is_nearly_full: true }],
  ])("of %d bytes is used as %o", (bytes, use) => {
    expect(computeDatabaseUse(bytes)).toEqual(use);
  });
});
