/** Whether a character, given as its code point, belongs to a class. */
export type CharTest = (point: number) => boolean;

/** Part of a class: what stands between the brackets of a JavaScript class, or everything else. */
export interface ClassItem {
  source: string;
  isNegated: boolean;
}

const ASCII_COUNT = 128;

export const ANY: ClassItem = { source: "", isNegated: true };

/** `\d`, `\w` and `\s` are ASCII in RE2; its `\s` has no vertical tab. */
export const PERL: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: "\\t\\n\\f\\r " };

export const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

export function rangeOf(from: number, to = from): ClassItem {
  return { source: `${escapeOf(from)}-${escapeOf(to)}`, isNegated: false };
}

/** A script or a category, such as `Greek` or `Lu`; undefined where Unicode has none of this name. */
export function findUnicodeClass(name: string): string | undefined {
  if (name === "Any") return "\\u{0}-\\u{10ffff}";
  if (!/^\w+$/.test(name)) return;
  return [`\\p{Script=${name}}`, `\\p{${name}}`].find((source) => isSource(source));
}

/** Each character is judged by itself, so that the engine of the runtime has nothing to search. */
export function buildTest(items: readonly ClassItem[], options: { isNegated: boolean; fold: boolean }): CharTest {
  const flags = options.fold ? "iu" : "u";
  const included = items.filter(({ isNegated }) => !isNegated).map(({ source }) => source);
  const union = new RegExp(`^[${included.join("")}]$`, flags);
  const excluded = items.filter(({ isNegated }) => isNegated).map(({ source }) => new RegExp(`^[${source}]$`, flags));
  const judge = (char: string) =>
    (union.test(char) || excluded.some((regex) => !regex.test(char))) !== options.isNegated;
  const ascii: (boolean | undefined)[] = [];
  return (point) => {
    if (point >= ASCII_COUNT) return judge(String.fromCodePoint(point));
    ascii[point] ??= judge(String.fromCharCode(point));
    return ascii[point];
  };
}

function escapeOf(point: number): string {
  return `\\u{${point.toString(16)}}`;
}

function isSource(source: string): boolean {
  try {
    return new RegExp(source, "u") !== null;
  } catch {
    return false;
  }
}
