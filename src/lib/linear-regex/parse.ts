import { ANY, buildTest, type CharTest, type ClassItem, findUnicodeClass, PERL, POSIX, rangeOf } from "./char-class.ts";

/** A place between two characters. */
export type Place = "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge";

export type Pattern =
  | { kind: "char"; test: CharTest }
  | { kind: "place"; place: Place }
  | { kind: "sequence" | "choice"; parts: Pattern[] }
  /** A group in brackets whose text may be asked for, by the place of its opening bracket among theirs. */
  | { kind: "group"; part: Pattern; number: number }
  /** Without a maximum, as often as it occurs. A lazy one prefers to occur seldom. */
  | { kind: "repeat"; part: Pattern; min: number; max: number | null; isLazy: boolean };

/** What is wrong with a pattern, in words for the person who wrote it. */
export class PatternError extends Error {}

const REPEATS_MAX = 1000;
const POINT_MAX = 0x10ffff;
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const PLACES: Readonly<Record<string, Place>> = { A: "text_start", z: "text_end", b: "word_edge", B: "no_word_edge" };

interface Flags {
  fold: boolean;
  multiline: boolean;
  dotAll: boolean;
  /** Repetitions are lazy unless they are marked, instead of the other way round. */
  ungreedy: boolean;
}

/** Reads the syntax of RE2 (https://github.com/google/re2/wiki/Syntax). */
export function parsePattern(text: string): Pattern {
  return new Parser(text).parse();
}

class Parser {
  #rest: string;
  #groups = 0;

  constructor(text: string) {
    this.#rest = text;
  }

  parse(): Pattern {
    const pattern = this.#choice({ fold: false, multiline: false, dotAll: false, ungreedy: false });
    if (this.#rest !== "") throw new PatternError("unexpected )");
    return pattern;
  }

  /** Flags that are set within a group hold to its end. */
  #choice(outer: Flags): Pattern {
    const flags = { ...outer };
    const parts = [this.#sequence(flags)];
    while (this.#take("|")) parts.push(this.#sequence(flags));
    const [only] = parts;
    return only && parts.length === 1 ? only : { kind: "choice", parts };
  }

  #sequence(flags: Flags): Pattern {
    const parts: Pattern[] = [];
    while (this.#rest !== "" && !/^[|)]/.test(this.#rest)) {
      if (this.#setFlags(flags)) continue;
      const quoted = this.#match(/^\\Q(.*?)(?:\\E|$)/su);
      const atoms = quoted ? [...(quoted[1] ?? "")].map((char) => literal(char, flags)) : [this.#atom(flags)];
      const last = atoms.pop();
      parts.push(...atoms, ...(last ? [this.#repeated(last, flags)] : []));
    }
    return { kind: "sequence", parts };
  }

  #setFlags(flags: Flags): boolean {
    const found = this.#match(/^\(\?(?!\))([imsU]*)(?:-([imsU]+))?\)/);
    if (found) changeFlags(flags, found[1], found[2]);
    return found !== null;
  }

  #repeated(part: Pattern, { ungreedy }: Flags): Pattern {
    const bounds = this.#bounds();
    if (!bounds) return part;
    const isLazy = this.#take("?") !== ungreedy;
    if (this.#bounds()) throw new PatternError("a repetition is repeated");
    const { min, max } = bounds;
    if (min > REPEATS_MAX || (max !== null && (max > REPEATS_MAX || max < min))) {
      throw new PatternError(`a repetition must be between 0 and ${REPEATS_MAX} times`);
    }
    return { kind: "repeat", part, ...bounds, isLazy };
  }

  #bounds(): { min: number; max: number | null } | undefined {
    if (this.#take("*")) return { min: 0, max: null };
    if (this.#take("+")) return { min: 1, max: null };
    if (this.#take("?")) return { min: 0, max: 1 };
    const [found, min, comma, max] = this.#match(/^\{(\d+)(?:(,)(\d*))?\}/) ?? [];
    if (found === undefined) return;
    return { min: Number(min), max: comma === undefined ? Number(min) : max ? Number(max) : null };
  }

  #atom(flags: Flags): Pattern {
    if (this.#bounds()) throw new PatternError("nothing to repeat");
    if (this.#take("(")) return this.#group(flags);
    if (this.#take("[")) return this.#class(flags);
    if (this.#take(".")) return charOf(flags.dotAll ? [ANY] : [{ ...rangeOf(10), isNegated: true }], flags);
    if (this.#take("^")) return { kind: "place", place: flags.multiline ? "line_start" : "text_start" };
    if (this.#take("$")) return { kind: "place", place: flags.multiline ? "line_end" : "text_end" };
    const [, letter = ""] = this.#match(/^\\([AzbB])/) ?? [];
    const place = PLACES[letter];
    if (place) return { kind: "place", place };
    if (!this.#rest.startsWith("\\")) return literal(this.#next(), flags);
    const escaped = this.#escape();
    return charOf([typeof escaped === "number" ? rangeOf(escaped) : escaped], flags);
  }

  #group(outer: Flags): Pattern {
    const flags = { ...outer };
    let isCaptured = true;
    if (this.#rest.startsWith("?")) {
      const found = this.#match(/^\?(?:([imsU]*)(?:-([imsU]+))?:|P?<\w+>)/);
      if (!found) throw new PatternError(`(${this.#rest.slice(0, 3)} is not supported`);
      isCaptured = !found[0].endsWith(":");
      changeFlags(flags, found[1], found[2]);
    }
    const number = isCaptured ? ++this.#groups : 0;
    const inner = this.#choice(flags);
    if (!this.#take(")")) throw new PatternError("missing )");
    return isCaptured ? { kind: "group", part: inner, number } : inner;
  }

  #class(flags: Flags): Pattern {
    const isNegated = this.#take("^");
    const items: ClassItem[] = [];
    do items.push(this.#classItem());
    while (this.#rest !== "" && !this.#rest.startsWith("]"));
    if (!this.#take("]")) throw new PatternError("missing ]");
    return charOf(items, flags, isNegated);
  }

  #classItem(): ClassItem {
    const [posix, not, name = ""] = this.#match(/^\[:(\^?)(\w*):\]/) ?? [];
    if (posix !== undefined) {
      const source = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
      if (source === undefined) throw new PatternError(`${posix} is no class`);
      return { source, isNegated: not !== "" };
    }
    const from = this.#classPoint();
    if (typeof from !== "number" || !/^-[^\]]/su.test(this.#rest))
      return typeof from === "number" ? rangeOf(from) : from;
    this.#take("-");
    const to = this.#classPoint();
    if (typeof to !== "number" || to < from) throw new PatternError("a range of characters is not in order");
    return rangeOf(from, to);
  }

  #classPoint(): number | ClassItem {
    return this.#rest.startsWith("\\") ? this.#escape() : pointOf(this.#next());
  }

  /** The code point of an escaped character, or a class. */
  #escape(): number | ClassItem {
    const [, letter = ""] = this.#match(/^\\([dwsDWS])/) ?? [];
    const perl = PERL[letter.toLowerCase()];
    if (perl !== undefined) return { source: perl, isNegated: letter !== letter.toLowerCase() };
    const unicode = this.#match(/^\\([pP])(?:\{(\^?)([^}]*)\}|(\w))/);
    if (unicode) return unicodeItem(unicode);
    const code = this.#match(/^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/);
    if (code) return checkPoint(Number.parseInt(code[1] ?? code[2] ?? "", 16));
    const octal = this.#match(/^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/);
    if (octal) return Number.parseInt(octal[1] ?? "", 8);
    const [, control = ""] = this.#match(/^\\([afnrtv])/) ?? [];
    if (control !== "") return CONTROLS[control] ?? 0;
    const [, char] = this.#match(/^\\([^0-9A-Za-z\u{80}-\u{10ffff}])/u) ?? [];
    if (char === undefined) throw new PatternError(`${this.#rest.slice(0, 2)} is not supported`);
    return pointOf(char);
  }

  #next(): string {
    const char = String.fromCodePoint(pointOf(this.#rest));
    this.#rest = this.#rest.slice(char.length);
    return char;
  }

  #take(text: string): boolean {
    if (!this.#rest.startsWith(text)) return false;
    this.#rest = this.#rest.slice(text.length);
    return true;
  }

  #match(regex: RegExp): RegExpMatchArray | null {
    const found = this.#rest.match(regex);
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

function unicodeItem([found, letter, not, long, short]: RegExpMatchArray): ClassItem {
  const source = findUnicodeClass(long ?? short ?? "");
  if (source === undefined) throw new PatternError(`${found} is no class`);
  return { source, isNegated: (letter === "P") !== (not === "^") };
}

function changeFlags(flags: Flags, set = "", cleared = ""): void {
  const change = (letters: string, value: boolean) => {
    if (letters.includes("i")) flags.fold = value;
    if (letters.includes("m")) flags.multiline = value;
    if (letters.includes("s")) flags.dotAll = value;
    if (letters.includes("U")) flags.ungreedy = value;
  };
  change(set, true);
  change(cleared, false);
}

function literal(char: string, flags: Flags): Pattern {
  return charOf([rangeOf(pointOf(char))], flags);
}

function charOf(items: readonly ClassItem[], { fold }: Flags, isNegated = false): Pattern {
  return { kind: "char", test: buildTest(items, { isNegated, fold }) };
}

function checkPoint(point: number): number {
  if (point > POINT_MAX) throw new PatternError("no character has so high a number");
  return point;
}

function pointOf(text: string): number {
  const point = text.codePointAt(0);
  if (point === undefined) throw new PatternError("unexpected end");
  return point;
}
