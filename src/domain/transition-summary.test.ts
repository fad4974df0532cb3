import { describe, expect, it } from "vitest";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { describeTransition } from "./transition-summary.ts";

type Change = Parameters<typeof describeTransition>[0];

const OUTAGE: MonitorTransition["outage"] = { seq: 3, started_at: 1_000_000 };

describe("describeTransition", () => {
  const rows: [text: string, change: Omit<Change, "effective_at">][] = [
    ["is up for the first time", { seq: 1, from: "pending", to: "up", outage: null }],
    ["is up", { seq: 4, from: "pending", to: "up", outage: null }],
    ["is up again after 4 min", { seq: 4, from: "down", to: "up", outage: OUTAGE }],
    ["is up again after 4 min", { seq: 6, from: "pending", to: "up", outage: OUTAGE }],
    ["is up again", { seq: 4, from: "degraded", to: "up", outage: null }],
    ["is up again", { seq: 4, from: "unknown", to: "up", outage: null }],
    ["went down", { seq: 1, from: "pending", to: "down", outage: { seq: 1, started_at: 1_240_000 } }],
    ["went down", { seq: 3, from: "up", to: "down", outage: OUTAGE }],
    ["is still down", { seq: 5, from: "unknown", to: "down", outage: OUTAGE }],
    ["is degraded", { seq: 2, from: "up", to: "degraded", outage: null }],
    ["is not known to be up or down", { seq: 2, from: "up", to: "unknown", outage: null }],
    ["is paused", { seq: 2, from: "up", to: "paused", outage: null }],
    ["is resumed", { seq: 3, from: "paused", to: "pending", outage: null }],
  ];
  it.each(rows)("says %j", (text, change) => {
    expect(describeTransition({ ...change, effective_at: 1_240_000 })).toBe(text);
  });
});
