import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgetMarkdown, HARD_PIECES, HARD_PREFIXES, PROSE, repeatPiece } from "../../test/support/hard-markdown.ts";
import { countRegexTries } from "../../test/support/regex-tries.ts";
import { parseMarkdown } from "./markdown.ts";

forgetMarkdown(parseMarkdown);
const workOf = (text: string) => countRegexTries(() => void parseMarkdown(text));

describe("the work of parsing Markdown", () => {
  const usual = workOf(PROSE);

  it.each(HARD_PREFIXES)("stays below twice that of prose for every repetition after %j", (prefix) => {
    expect(HARD_PIECES.filter((piece) => workOf(prefix + repeatPiece(piece)) > 2 * usual)).toEqual([]);
  });

  it("stays below six times that of prose for repeated combinations", () => {
    const text = fc
      .tuple(
        fc.constantFrom(...HARD_PREFIXES),
        fc.array(fc.constantFrom(...HARD_PIECES), { minLength: 2, maxLength: 4 }),
      )
      .map(([prefix, pieces]) => prefix + repeatPiece(pieces.join("")));
    fc.assert(
      fc.property(text, (source) => workOf(source) <= 6 * usual),
      { numRuns: 500 },
    );
  });

  it("does not depend on what lies beyond 10,000 characters", () => {
    expect(parseMarkdown(PROSE + PROSE.repeat(50))).toEqual(parseMarkdown(`${PROSE}${"x".repeat(10)}`));
  });
});
