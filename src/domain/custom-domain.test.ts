import { describe, expect, it } from "vitest";
import { type Claim, judgeClaim, LOST_AFTER_MS, nextWait, PROVE_WITHIN_MS, type Proof } from "./custom-domain.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 1_000 * DAY;

const claim = (changes: Partial<Claim> = {}): Claim => ({
  status: "pending",
  claimed_at: NOW,
  proven_at: null,
  lost_since: null,
  ...changes,
});
const active = (lost_since: number | null = null) => claim({ status: "active", proven_at: NOW - DAY, lost_since });

describe("judgeClaim", () => {
  it.each<[string, Claim, Proof, object]>([
    [
      "a proof makes a claim active for a day",
      claim(),
      "seen",
      { status: "active", proven_at: NOW, next_check_at: NOW + DAY },
    ],
    ["a claim waits for its proof", claim(), "missing", { status: "pending", next_check_at: NOW + MINUTE }],
    [
      "one just under seven days old still waits",
      claim({ claimed_at: NOW - PROVE_WITHIN_MS + 1 }),
      "missing",
      { status: "pending", next_check_at: NOW + HOUR },
    ],
    ["one of seven days has failed", claim({ claimed_at: NOW - PROVE_WITHIN_MS }), "missing", { status: "error" }],
    [
      "silence says nothing",
      claim({ claimed_at: NOW - PROVE_WITHIN_MS }),
      "unknown",
      { status: "pending", next_check_at: NOW + MINUTE },
    ],
    [
      "nor does it take anything away",
      active(NOW - LOST_AFTER_MS),
      "unknown",
      { status: "active", lost_since: NOW - LOST_AFTER_MS },
    ],
    [
      "a missing proof is noted and looked for every hour",
      active(),
      "missing",
      { status: "active", lost_since: NOW, next_check_at: NOW + HOUR },
    ],
    ["just under 72 hours are forgiven", active(NOW - LOST_AFTER_MS + 1), "missing", { status: "active" }],
    ["72 hours are not", active(NOW - LOST_AFTER_MS), "missing", { status: "error", lost_since: NOW - LOST_AFTER_MS }],
    [
      "a proof that is back clears the loss",
      active(NOW - 1),
      "seen",
      { status: "active", lost_since: null, error: null },
    ],
    ["a failed claim recovers with its proof", claim({ status: "error" }), "seen", { status: "active", error: null }],
    [
      "a failed claim stays failed without",
      claim({ status: "error" }),
      "missing",
      { status: "error", next_check_at: NOW + HOUR },
    ],
  ])("%s", (_name, given, proof, expected) => {
    expect(judgeClaim(given, proof, NOW)).toMatchObject(expected);
  });
});

describe("nextWait", () => {
  it.each([
    [0, MINUTE],
    [10 * MINUTE, MINUTE],
    [20 * MINUTE, 2 * MINUTE],
    [10 * HOUR, HOUR],
    [6 * DAY, HOUR],
  ])("after %i ms is %i ms", (age, wait) => {
    expect(nextWait(age)).toBe(wait);
  });
});
