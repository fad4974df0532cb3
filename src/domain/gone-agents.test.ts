import { describe, expect, it } from "vitest";
import { findGone, type KnownVote } from "./gone-agents.ts";

const found = (region: string, slot_at: number, is_online = true): KnownVote => ({
  vote: { region, slot_at, checked_at: slot_at, outcome: "success", latency_ms: 1, message: "" },
  interval_ms: 60,
  is_online,
});

describe("a location that nobody waits for", () => {
  it("has missed the slot before, is offline or has never reported", () => {
    const known = [found("a", 240), found("b", 180), found("c", 120), found("d", 240, false)];
    expect(findGone(["a", "b", "c", "d", "e"], known, 240)).toEqual(["c", "d", "e"]);
  });
});
