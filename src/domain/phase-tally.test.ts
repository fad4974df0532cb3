import fc from "fast-check";
import { expect, it } from "vitest";
import { PHASES, type PhaseTimes } from "../contract/phases.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";
import { addTallies, readTally, tallyOf, writeTally } from "./baseline.ts";
import { addPhases, joinMeans, meanPhases, tallyPhases } from "./phase-tally.ts";

const times: fc.Arbitrary<PhaseTimes> = fc.array(fc.option(fc.nat(10_000)), {
  minLength: PHASES.length,
  maxLength: PHASES.length,
});

it("gives the means of the phases, which add up to the mean of the checks", () => {
  const tally = tallyPhases([
    [2, 10, 20, 60, null, null],
    [4, 10, 24, 100, null, null],
  ]);
  expect(meanPhases(tally)).toEqual({
    lookup_ms: 3,
    connect_ms: 10,
    tls_ms: 22,
    first_byte_ms: 80,
    transfer_ms: null,
    undivided_ms: null,
    checks: 2,
  });
  expect(meanPhases(tallyPhases([]))).toBeNull();
});

it("weighs places by their checks", () => {
  const means = [tallyPhases([[1, 1, 1, 1, 1, null]]), tallyPhases([...Array(3)].map(() => [5, 1, 1, 1, 1, null]))];
  expect(joinMeans(means.flatMap((each) => meanPhases(each) ?? []))).toMatchObject({ lookup_ms: 4, checks: 4 });
});

it("is the same in any order in which hours are added up", () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 20 }), fc.nat(20), (measured, cut) => {
      const parts = [tallyPhases(measured.slice(0, cut)), tallyPhases(measured.slice(cut))];
      expect(addPhases(parts)).toEqual(tallyPhases(measured));
      expect(addPhases(parts.toReversed())).toEqual(tallyPhases(measured));
    }),
  );
});

it("is kept with the latencies of an hour, and absent from hours that were stored before", () => {
  const stored = (tally: Parameters<typeof writeTally>[1]) => {
    const writer = new ByteWriter();
    writeTally(writer, tally);
    return readTally(new ByteReader(writer.finish()));
  };
  const before = tallyOf([90, 110]);
  const after = { ...tallyOf([100]), phases: tallyPhases([[1, 2, 3, 90, 4, null]]) };
  expect(stored(before)).toEqual(before);
  expect(stored(after)).toEqual(after);
  expect(addTallies([before, after])).toMatchObject({ count: 3, phases: { checks: 1 } });
});
