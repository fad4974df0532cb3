import { describe, expect, it } from "vitest";
import { decideEpoch, type Epoch, restoredEpoch, type Tick } from "./epoch.ts";

const d1 = (epoch: string, ticks: number): Epoch => ({ epoch, ticks, ticked_at: 100, known_until: 1 });
const AT = { now: 200, fresh: "fresh" };

describe("the epoch after a tick", () => {
  const same: [name: string, witness: Tick, stored: Epoch][] = [
    ["both know the last tick", { epoch: "a", ticks: 7 }, d1("a", 7)],
    ["a call died between D1 and the witness", { epoch: "a", ticks: 6 }, d1("a", 7)],
  ];
  it.each(same)("is the same where %s", (_name, witness, stored) => {
    const next = { epoch: "a", ticks: 8, ticked_at: 200, known_until: 1 };
    expect(decideEpoch(witness, stored, AT)).toEqual({ next, isNew: false, restored: null });
  });

  const fresh: [name: string, witness: Tick | null, stored: Epoch | null, next: Partial<Epoch>][] = [
    ["the installation is new", null, null, { ticks: 1, known_until: 200 }],
    ["D1 was restored to before the last tick", { epoch: "a", ticks: 7 }, d1("a", 6), { ticks: 8, known_until: 100 }],
    ["D1 was restored to an earlier epoch", { epoch: "b", ticks: 7 }, d1("a", 7), { ticks: 8, known_until: 100 }],
    ["D1 is empty", { epoch: "a", ticks: 7 }, null, { ticks: 8, known_until: 200 }],
    ["the objects were lost", null, d1("a", 7), { ticks: 8, known_until: 100 }],
  ];
  it.each(fresh)("is a new one where %s", (_name, witness, stored, next) => {
    const expected = { epoch: "fresh", ticked_at: 200, ...next };
    expect(decideEpoch(witness, stored, AT)).toMatchObject({ next: expected, isNew: true });
  });

  const MINUTE = 60_000;
  const LATER = { now: 10 * MINUTE, fresh: "fresh" };
  const sent: [name: string, witness: Tick | null, stored: Epoch | null, sentBefore: number | null][] = [
    ["D1 went back under living objects", { epoch: "a", ticks: 7 }, d1("a", 6), 100 + MINUTE],
    ["a backup was restored with its objects", { epoch: "a", ticks: 7 }, d1(restoredEpoch(5 * MINUTE), 7), 5 * MINUTE],
    ["a backup was restored without objects", null, d1(restoredEpoch(5 * MINUTE), 7), 5 * MINUTE],
    ["the objects were lost", null, d1("a", 7), null],
    ["D1 is empty", { epoch: "a", ticks: 7 }, null, null],
  ];
  it.each(sent)("says what was sent before it where %s", (_name, witness, stored, sentBefore) => {
    const { isNew, restored } = decideEpoch(witness, stored, LATER);
    expect([isNew, restored?.sent_before ?? null]).toEqual([true, sentBefore]);
    if (restored) expect(restored.known_until).toBe(100);
  });

  it("does not depend on the clock, which may go back", () => {
    const { next, isNew } = decideEpoch({ epoch: "a", ticks: 7 }, d1("a", 7), { now: 50, fresh: "fresh" });
    expect([next.ticks, next.ticked_at, isNew]).toEqual([8, 50, false]);
    expect(decideEpoch({ epoch: "a", ticks: 8 }, d1("a", 7), { now: 50, fresh: "fresh" }).isNew).toBe(true);
  });
});
