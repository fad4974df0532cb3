import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./markdown.ts";

const LENGTH = 10_000;
const fill = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const PROSE = fill("Checkout is *failing* for some customers; see [status](https://example.com/x).\n\n");
/** Openings that never close and structures that a parser has to try again and again. */
const PIECES = [
  ...["*", "_", "**a", "a*", "[", "![", "[a](", '[a](b "', "`", "``a", "~~a", "<", "<a ", "<!--", "<?", "!", "|", "\\"],
  ...["a\n", "a  \n", "    a\n", "a\n===\n", "- a\n  ", "> ", "1. ", "|a|b|\n|-|-|\n", "---\n", "\n", "\t", "   "],
  ...["a@b.", "www.a.", "http://a", "[a]: b\n", "[a]", "&a", "\u00a0", "😀"],
];
const PREFIXES = ["", "a", "* ", "[", "> ", "```"];

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
  const usual = Math.max(cpuMs(PROSE), cpuMs(PROSE), 1);
  const bound = 15 * usual;

  it.each(PREFIXES)("stays near that of prose for every repetition after %j", (prefix) => {
    const slow = PIECES.filter((piece) => cpuMs(prefix + fill(piece)) > bound);
    expect(slow).toEqual([]);
  });

  it("stays near that of prose for repeated combinations", () => {
    const text = fc
      .tuple(fc.constantFrom(...PREFIXES), fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 4 }))
      .map(([prefix, pieces]) => prefix + fill(pieces.join("")));
    fc.assert(
      fc.property(text, (source) => cpuMs(source) <= bound),
      { numRuns: 150 },
    );
  });

  it("does not depend on what lies beyond 10,000 characters", () => {
    expect(parseMarkdown(PROSE + PROSE.repeat(50))).toEqual(parseMarkdown(`${PROSE}${"x".repeat(10)}`));
  });
});
