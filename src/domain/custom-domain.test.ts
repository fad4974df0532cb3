import { describe, expect, it } from "vitest";
import {
  type DomainClaim,
  type DomainLookup,
  decideClaim,
  LOST_AFTER_MS,
  nextCheckDelay,
  PROVE_WITHIN_MS,
  SILENT_FOR_MS,
} from "./custom-domain.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 1_000 * DAY;
/** Beyond the life of the installation. */
const NEVER = NOW + 36_500 * DAY;

const claim = (changes: Partial<DomainClaim> = {}): DomainClaim => ({
  status: "pending",
  claimed_at: NOW,
  proven_at: null,
  lost_since: null,
  aimed_at: null,
  astray_since: null,
  ...changes,
});
const active = (changes: Partial<DomainClaim> = {}) =>
  claim({ status: "active", proven_at: NOW - DAY, aimed_at: NOW - DAY, ...changes });

const BOTH: DomainLookup = { ownership: "seen", routing: "seen" };
const NEITHER: DomainLookup = { ownership: "missing", routing: "missing" };
const NO_PROOF: DomainLookup = { ownership: "missing", routing: "seen" };
const NO_AIM: DomainLookup = { ownership: "seen", routing: "missing" };
const SILENCE: DomainLookup = { ownership: "unknown", routing: "unknown" };
const JUST_GONE = NOW - LOST_AFTER_MS;

describe("decideClaim", () => {
  it.each<[string, DomainClaim, DomainLookup, object]>([
    [
      "both records make a claim active for a day",
      claim(),
      BOTH,
      { status: "active", error: null, proven_at: NOW, aimed_at: NOW, next_check_at: NOW + DAY },
    ],
    [
      "a claim waits for both",
      claim(),
      NEITHER,
      { status: "pending", error: "the TXT and CNAME records are not there yet", next_check_at: NOW + MINUTE },
    ],
    ["a claim waits for its proof", claim(), NO_PROOF, { status: "pending", error: "the TXT record is not there yet" }],
    [
      "the proof alone makes it active, so that the page is ready before its visitors are",
      claim(),
      NO_AIM,
      { status: "active", error: "the CNAME record is not there yet", astray_since: null, next_check_at: NOW + MINUTE },
    ],
    [
      "who never sends visitors is reminded of it and left alone",
      active({ claimed_at: NOW - PROVE_WITHIN_MS, aimed_at: null }),
      NO_AIM,
      { status: "active", error: "the CNAME record is not there yet", astray_since: null, next_check_at: NOW + DAY },
    ],
    [
      "one just under 72 hours old still waits",
      claim({ claimed_at: NOW - PROVE_WITHIN_MS + 1 }),
      NEITHER,
      { status: "pending", next_check_at: NOW + HOUR },
    ],
    [
      "one of 72 hours has failed",
      claim({ claimed_at: NOW - PROVE_WITHIN_MS }),
      NO_PROOF,
      { status: "error", error: "the TXT record is missing: not verified within 72 hours", next_check_at: NEVER },
    ],
    [
      "silence says nothing",
      claim({ claimed_at: NOW - PROVE_WITHIN_MS }),
      SILENCE,
      { status: "pending", error: expect.stringContaining("no DNS resolver"), next_check_at: NOW + HOUR },
    ],
    [
      "one that is silent for a week has failed, and is not looked up again",
      claim({ claimed_at: NOW - SILENT_FOR_MS }),
      SILENCE,
      { status: "error", next_check_at: NEVER },
    ],
    [
      "one that has failed without proof is not looked up again",
      claim({ status: "error", claimed_at: NOW - 10 * DAY }),
      NEITHER,
      { status: "error", next_check_at: NEVER },
    ],
    [
      "nor does it take anything back",
      active({ lost_since: NOW - HOUR, astray_since: NOW - 1 }),
      SILENCE,
      { status: "active", lost_since: NOW - HOUR, astray_since: NOW - 1 },
    ],
    [
      "a missing proof is noted and looked for every hour",
      active(),
      NO_PROOF,
      { status: "active", lost_since: NOW, error: "the TXT record is missing", next_check_at: NOW + HOUR },
    ],
    [
      "a name that was turned elsewhere is noted and looked for every hour",
      active(),
      NO_AIM,
      { status: "active", astray_since: NOW, error: "the CNAME record is missing", next_check_at: NOW + HOUR },
    ],
    [
      "just under 72 hours without proof are forgiven",
      active({ lost_since: JUST_GONE + 1 }),
      NO_PROOF,
      { status: "active" },
    ],
    ["just under 72 hours elsewhere, too", active({ astray_since: JUST_GONE + 1 }), NO_AIM, { status: "active" }],
    [
      "72 hours without proof are not",
      active({ lost_since: JUST_GONE }),
      NO_PROOF,
      { status: "error", lost_since: JUST_GONE, error: "the TXT record has been missing for 72 hours" },
    ],
    [
      "72 hours elsewhere are not",
      active({ astray_since: JUST_GONE }),
      NO_AIM,
      { status: "error", astray_since: JUST_GONE, error: "the CNAME record has been missing for 72 hours" },
    ],
    [
      "what is back clears the loss",
      active({ lost_since: NOW - 1, astray_since: NOW - 1 }),
      BOTH,
      { status: "active", lost_since: null, astray_since: null, error: null },
    ],
    [
      "one that failed comes back with its records",
      active({ status: "error", lost_since: NOW - 100 * HOUR, astray_since: NOW - 100 * HOUR }),
      BOTH,
      { status: "active", error: null },
    ],
    [
      "but not with one of two that were lost",
      active({ status: "error", lost_since: NOW - 100 * HOUR, astray_since: NOW - 100 * HOUR }),
      NO_AIM,
      { status: "error", error: "the CNAME record has been missing for 72 hours", next_check_at: NOW + HOUR },
    ],
    ["a failed claim recovers with its proof", claim({ status: "error" }), NO_AIM, { status: "active" }],
    [
      "a failed claim stays failed without",
      claim({ status: "error" }),
      NEITHER,
      { status: "error", next_check_at: NEVER },
    ],
    [
      "a lost claim is looked for every hour",
      claim({ status: "error", proven_at: NOW - 9 * DAY, lost_since: JUST_GONE }),
      NEITHER,
      { status: "error", next_check_at: NOW + HOUR },
    ],
  ])("%s", (_name, given, seen, expected) => {
    expect(decideClaim(given, seen, NOW)).toMatchObject(expected);
  });
});

describe("nextCheckDelay", () => {
  it.each([
    [0, MINUTE],
    [10 * MINUTE, MINUTE],
    [20 * MINUTE, 2 * MINUTE],
    [10 * HOUR, HOUR],
    [6 * DAY, HOUR],
  ])("after %i ms is %i ms", (age, wait) => {
    expect(nextCheckDelay(age)).toBe(wait);
  });
});
