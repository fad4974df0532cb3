import fc from "fast-check";
import { describe, it } from "vitest";
import { parseMarkdown } from "../../src/ui/markdown.ts";
import { HARD_PIECES, HARD_PREFIXES, PROSE, repeatPiece } from "../support/hard-markdown.ts";

/** The processor time of the fastest of three runs, which other programs on the machine do not add to. */
function cpuMs(text: string): number {
  const runs = [1, 2, 3].map(() => {
    const from = process.cpuUsage();
    parseMarkdown(text);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

describe("the time to parse Markdown", () => {
  const bound = 15 * Math.max(cpuMs(PROSE), cpuMs(PROSE), 1);

  it("stays near that of prose for repetitions and their combinations", () => {
    const text = fc
      .tuple(
        fc.constantFrom(...HARD_PREFIXES),
        fc.array(fc.constantFrom(...HARD_PIECES), { minLength: 1, maxLength: 4 }),
      )
      .map(([prefix, pieces]) => prefix + repeatPiece(pieces.join("")));
    fc.assert(
      fc.property(text, (source) => {
        // A collection of garbage may fall into all three runs of one try.
        return cpuMs(source) <= bound || cpuMs(source) <= bound;
      }),
      { numRuns: 500 },
    );
  });
});
