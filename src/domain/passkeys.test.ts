import { describe, expect, it } from "vitest";
import { isCounterAhead } from "./passkeys.ts";

describe("the counter of a passkey", () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [7, 8, true],
    [7, 7, false],
    [7, 6, false],
    [7, 0, false],
  ])("at %i and then %i is accepted: %s", (stored, given, isAccepted) => {
    expect(isCounterAhead(stored, given)).toBe(isAccepted);
  });
});
