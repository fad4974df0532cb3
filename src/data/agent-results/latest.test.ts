import { describe, expect, it } from "vitest";
import type { AgentPackedResult } from "../agents/table.ts";
import { mergeLatest } from "./latest.ts";

const MINUTE = 60_000;

/** Checked at, and valid until, a number of minutes. */
function packed(id: string, checked: number, until: number | null = checked + 3, message = ""): AgentPackedResult {
  const at = checked * MINUTE;
  return [id, at, null, message, "default", "success", at, until === null ? null : until * MINUTE];
}

describe("the newest results of an agent's monitors", () => {
  it.each([
    ["a newer one replaces", [packed("a", 1)], [packed("a", 2)], [packed("a", 2)]],
    ["an older one does not", [packed("a", 2)], [packed("a", 1)], [packed("a", 2)]],
    ["a repeated one counts as sent last", [packed("a", 1)], [packed("a", 1, 4, "y")], [packed("a", 1, 4, "y")]],
    ["other monitors keep theirs", [packed("a", 5)], [packed("b", 1)], [packed("a", 5), packed("b", 1)]],
    ["one that was only awaited is measured", [packed("a", 0)], [packed("a", 1)], [packed("a", 1)]],
  ])("%s", (_name, latest, fresh, merged) => {
    expect(mergeLatest({ latest, look_at: null }, fresh, 0).latest).toEqual(merged);
  });
});

describe("the next look at an agent", () => {
  it.each([
    ["is planned in whole minutes", null, packed("a", 0, 2.5), 0, 3],
    ["stays while it is more than a minute ahead", 3, packed("a", 1, 4), 1, undefined],
    ["moves when it would be due before the next request", 3, packed("a", 2, 5), 2, 5],
    ["moves forward when a result ends earlier", 9, packed("a", 1, 4), 1, 4],
    ["moves when it is over", 0, packed("a", 1, 4), 1, 4],
    ["is planned anew for a monitor without a result", 3, packed("b", 1, 4), 1, 3],
  ])("%s", (_name, planned, fresh, now, look) => {
    const known = { latest: [packed("a", -1, 3)], look_at: planned === null ? null : planned * MINUTE };
    const { look_at } = mergeLatest(known, [fresh], now * MINUTE);
    expect(look_at).toBe(look === undefined ? undefined : look * MINUTE);
  });

  it("is none where no result ends to be valid", () => {
    expect(mergeLatest({ latest: [packed("a", 1, null)], look_at: 5 }, [], 1).look_at).toBeNull();
  });
});
