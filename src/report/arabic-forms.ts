/**
 * Arabic letters join their neighbours. Unicode has each shape as a character of its own, and says by its compatibility
 * mapping which letter it is a shape of; within the blocks the order is alone, last, first, middle. Letters without
 * such characters, a few of Pashto and Sindhi, stand alone.
 */
export interface ShapedGlyph {
  /** Where it begins in the text. */
  at: number;
  /** The character to draw. */
  drawn: number;
  /** The characters it stands for. */
  text: string;
}

const ALONE = 0;
const LAST = 1;
const FIRST = 2;
const MIDDLE = 3;
/** The general block comes first: the rest of alef maksura lies in the other one. */
const BLOCKS: [from: number, to: number][] = [
  [0xfe80, 0xfefc],
  [0xfb50, 0xfbff],
];
const LAM = "\u0644";
/** Lengthens a line between two letters, or joins invisibly. */
const JOINERS = "\u0640\u200d";
const MARK = /\p{Mn}/u;

let known: Map<string, number[]> | undefined;

/** Shapes of a letter, and of lam with the alef that follows. */
function shapes(): Map<string, number[]> {
  if (known) return known;
  known = new Map();
  for (const [from, to] of BLOCKS) {
    for (let point = from; point <= to; point++) {
      const shape = String.fromCodePoint(point);
      const letter = shape.normalize("NFKC");
      const isPair = letter.length === 2 && letter.startsWith(LAM);
      if (letter !== shape && (letter.length === 1 || isPair)) known.set(letter, [...(known.get(letter) ?? []), point]);
    }
  }
  return known;
}

/** The letters of a text in the order they are read, Arabic ones in the shape that their neighbours ask for. */
export function joinArabic(text: string): ShapedGlyph[] {
  const letters: ShapedGlyph[] = [];
  let at = 0;
  for (const letter of text) {
    const before = letters.at(-1);
    const pair = before?.text === LAM ? shapes().get(LAM + letter) : undefined;
    if (before && pair) before.text += letter;
    else letters.push({ at, drawn: letter.codePointAt(0) ?? 0, text: letter });
    at += letter.length;
  }
  const joining = letters.filter(({ text }) => !MARK.test(text));
  for (const [n, letter] of joining.entries()) {
    const forms = shapes().get(letter.text);
    if (!forms) continue;
    const isJoinedBefore = forms.length > 1 && joinsNext(joining[n - 1]);
    const isJoinedAfter = forms.length > 2 && joinsPrevious(joining[n + 1]);
    const form = isJoinedBefore ? (isJoinedAfter ? MIDDLE : LAST) : isJoinedAfter ? FIRST : ALONE;
    letter.drawn = forms[form] ?? letter.drawn;
  }
  return letters;
}

function joinsNext(letter: ShapedGlyph | undefined): boolean {
  return letter !== undefined && (JOINERS.includes(letter.text) || (shapes().get(letter.text)?.length ?? 0) > 2);
}

function joinsPrevious(letter: ShapedGlyph | undefined): boolean {
  return letter !== undefined && (JOINERS.includes(letter.text) || (shapes().get(letter.text)?.length ?? 0) > 1);
}
