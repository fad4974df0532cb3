import createBidi from "bidi-js";
import { lazy } from "../lib/lazy.ts";
import { joinArabic, type ShapedGlyph } from "./arabic-forms.ts";

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Characters that show nothing themselves; those that direct bidirectional text among them. */
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}\u2028\u2029]/gu;
const CONTROL = /\p{Cc}+/gu;

const graphemes = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
let bidi: ReturnType<typeof createBidi> | undefined;

/** A character to draw and the text it stands for. Of a pair, the first half has the outline of both. */
export interface Shown {
  drawn: number;
  text: string;
  half?: "first" | "second";
}

/** What can be drawn of a text: composed, on one line. */
export function cleanText(text: string): string {
  return text.replace(CONTROL, " ").normalize("NFC").toWellFormed();
}

/** The letters of a line from left to right, as they are drawn: https://www.unicode.org/reports/tr9/ */
export function toVisualOrder(text: string): Shown[] {
  if (!RIGHT_TO_LEFT.test(text)) {
    return Array.from(text.replace(INVISIBLE, ""), (letter) => ({ drawn: letter.codePointAt(0) ?? 0, text: letter }));
  }
  bidi ??= createBidi();
  const { levels } = bidi.getEmbeddingLevels(text, "auto");
  const levelOf = ({ at }: ShapedGlyph) => levels[at] ?? 0;
  const letters = joinArabic(text).filter((letter) => letter.text.replace(INVISIBLE, "") !== "");
  const highest = Math.max(0, ...letters.map(levelOf));
  let line = letters;
  for (let level = highest; level > 0; level--) line = reverseRuns(line, (letter) => levelOf(letter) >= level);
  return line.flatMap((letter): Shown[] => {
    const { drawn, text: stoodFor } = letter;
    // Programs that copy text put runs from right to left into order by themselves, one character after the other.
    if (stoodFor.length === 2 && drawn < 0x10000) {
      return [
        { drawn, text: stoodFor.charAt(1), half: "first" },
        { drawn, text: stoodFor.charAt(0), half: "second" },
      ];
    }
    const mirrored = levelOf(letter) % 2 === 1 ? bidi?.getMirroredCharacter(stoodFor) : null;
    return [mirrored ? { drawn: mirrored.codePointAt(0) ?? drawn, text: mirrored } : { drawn, text: stoodFor }];
  });
}

function reverseRuns<Item>(items: readonly Item[], isInRun: (item: Item) => boolean): Item[] {
  const result: Item[] = [];
  let run: Item[] = [];
  for (const item of items) {
    if (isInRun(item)) run.unshift(item);
    else {
      result.push(...run, item);
      run = [];
    }
  }
  return [...result, ...run];
}

/** As much of a text as fits, ending in an ellipsis where something is missing; what belongs together is not cut. */
export function shorten(text: string, isFitting: (text: string) => boolean): string {
  if (isFitting(text)) return text;
  const ends = Array.from(graphemes().segment(text), ({ index }) => index);
  const cutAt = (n: number) => `${text.slice(0, ends[n]).trimEnd()}…`;
  let [fits, tooLong] = [0, ends.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (isFitting(cutAt(middle))) fits = middle;
    else tooLong = middle;
  }
  return cutAt(fits);
}
