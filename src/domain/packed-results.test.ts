import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHECK_OUTCOMES } from "../contract/check.ts";
import { PHASES } from "../contract/phases.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";
import { addTallies, deviationOf, meanOf, percentileOf, readTally, tallyOf, writeTally } from "./baseline.ts";
import {
  hasMessage,
  type PackedCheck,
  packChecks,
  packMessage,
  unpackChecks,
  unpackMessages,
} from "./packed-results.ts";

const times = fc.array(fc.option(fc.nat(120_000)), { minLength: PHASES.length, maxLength: PHASES.length });
const check = fc
  .record({
    member: fc.nat(),
    outcome: fc.constantFrom(...CHECK_OUTCOMES),
    latency_ms: fc.option(fc.nat(120_000)),
    delay_ms: fc.nat(3_600_000),
    message: fc.oneof(fc.nat(1000), fc.string({ unit: "grapheme" })),
    place: fc.option(fc.nat(1000)),
    details: fc.option(fc.json()),
    phases: fc.option(times, { nil: undefined }),
  })
  .map(({ phases, ...rest }): PackedCheck => (phases ? { ...rest, phases } : rest));

describe("packed checks", () => {
  it("come back as they went in", () => {
    fc.assert(
      fc.property(fc.array(check), (checks) => {
        expect(unpackChecks(packChecks(checks))).toEqual(checks);
      }),
    );
  });

  it("of settled monitors take at most eight bytes each", () => {
    const settled = Array.from({ length: 30 }, (_, member): PackedCheck => {
      const [latency_ms, delay_ms] = [100 + member * 30, 40 + member * 35];
      return { member, outcome: "success", latency_ms, delay_ms, message: 1, place: 2, details: null };
    });
    expect(packChecks(settled).length / settled.length).toBeLessThanOrEqual(8);
  });

  it("take ten bytes more with their phases, and less where only two are known", () => {
    const bare: PackedCheck = {
      member: 1,
      outcome: "success",
      latency_ms: 90,
      delay_ms: 40,
      message: 1,
      place: null,
      details: null,
    };
    const [none, two, five] = [undefined, [3, null, null, null, null, 87], [3, 20, 41, 150, 12, null]].map((phases) => {
      return packChecks([phases ? { ...bare, phases } : bare]).length;
    });
    expect((two ?? 0) - (none ?? 0)).toBe(6);
    expect((five ?? 0) - (none ?? 0)).toBeLessThanOrEqual(10);
  });

  it("that are cut off are refused instead of misread", () => {
    const bytes = packChecks([
      {
        member: 1,
        outcome: "failure",
        latency_ms: null,
        delay_ms: 3,
        message: "refused",
        place: null,
        details: "{}",
      },
    ]);
    expect(() => unpackChecks(bytes.subarray(0, bytes.length - 1))).toThrow(RangeError);
  });
});

describe("packed messages", () => {
  const message = fc.record({ offset_ms: fc.nat(900_000), attempt: fc.nat(20), checks: fc.array(check) });

  it("come back from one row as they went in, all or those that are wanted", () => {
    fc.assert(
      fc.property(fc.array(message), fc.nat(900_000), (messages, before) => {
        const row = Buffer.concat(messages.map(packMessage));
        expect(unpackMessages(row)).toEqual(messages);
        const isWanted = ({ offset_ms }: { offset_ms: number }) => offset_ms < before;
        expect(unpackMessages(row, isWanted)).toEqual(messages.filter(isWanted));
        expect(messages.every((each) => hasMessage(row, each))).toBe(true);
        expect(hasMessage(row, { offset_ms: 900_001, attempt: 0 })).toBe(false);
      }),
    );
  });
});

const samples = fc.array(fc.nat(60_000), { minLength: 1, maxLength: 500 });

describe("a latency tally", () => {
  it("knows count, mean and deviation exactly and every percentile within six per cent", () => {
    fc.assert(
      fc.property(samples, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (values, share) => {
        const tally = tallyOf(values);
        const sorted = [...values].sort((a, b) => a - b);
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        expect(tally.count).toBe(values.length);
        expect(meanOf(tally)).toBeCloseTo(mean, 6);
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
        expect(deviationOf(tally)).toBeCloseTo(Math.sqrt(variance), 1);
        expect(Math.abs((percentileOf(tally, share) ?? 0) - exact)).toBeLessThanOrEqual(0.06 * (exact + 1) + 0.5);
      }),
    );
  });

  it("of two hours is the tally of all their samples, also after it was stored", () => {
    fc.assert(
      fc.property(samples, samples, (first, second) => {
        const stored = [first, second].map((values) => {
          const writer = new ByteWriter();
          writeTally(writer, tallyOf(values));
          return readTally(new ByteReader(writer.finish()));
        });
        expect(addTallies(stored)).toEqual(tallyOf([...first, ...second]));
      }),
    );
  });

  it("of nothing says nothing", () => {
    expect([meanOf(tallyOf([])), percentileOf(tallyOf([]), 0.5)]).toEqual([null, null]);
  });
});
