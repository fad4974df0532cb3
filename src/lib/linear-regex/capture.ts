import { compileProgram, type Instruction, isAt, type Neighbour, neighbourOf, type Program } from "./program.ts";

/**
 * Finds what the first group of a pattern matches, in time that grows with the text alone: it follows all ways through the
 * pattern at once, each with where its group begins and ends, in the order in which RE2 prefers them.
 */
export interface CapturingRegex {
  /** The time for one character grows with this. */
  size: number;
  /** Of the first match: its first group, or all of it where the pattern has none; null where nothing matches. */
  capture(text: string): string | null;
}

/** Throws a PatternError for what is no pattern, and for one of more instructions. */
export function compileCapture(text: string, sizeMax: number): CapturingRegex {
  const compiled = compileProgram(text, { sizeMax, keepsGroup: true });
  const hasGroup = compiled.program.some(({ kind }) => kind === "edge");
  return { size: compiled.program.length, capture: (subject) => new Search(compiled, subject).find(hasGroup) };
}

/** Where the whole match and its group begin and end. */
interface Span {
  from: number;
  to: number;
  start: number | null;
  end: number | null;
}

interface Way {
  instruction: number;
  span: Span;
}

/** A place in the text, and what stands on both of its sides. */
interface Around {
  place: number;
  before: Neighbour;
  after: Neighbour;
}

class Search {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  readonly #text: string;
  /** For each instruction the last place at which a preferred way came to it. */
  readonly #reached: Int32Array;

  constructor({ program, start }: Program, text: string) {
    this.#program = program;
    this.#start = start;
    this.#text = text;
    this.#reached = new Int32Array(program.length).fill(-1);
  }

  find(hasGroup: boolean): string | null {
    const span = this.#firstMatch();
    if (!span) return null;
    if (!hasGroup) return this.#text.slice(span.from, span.to);
    return span.start === null || span.end === null ? null : this.#text.slice(span.start, span.end);
  }

  #firstMatch(): Span | null {
    let ways: Way[] = [];
    let match: Span | null = null;
    let before: Neighbour = "nothing";
    for (let place = 0; place <= this.#text.length; ) {
      const point = this.#text.codePointAt(place) ?? -1;
      const around: Around = { place, before, after: neighbourOf(point) };
      const open: Way[] = [];
      // A way that began earlier comes first, and no way begins any more once one has matched.
      for (const way of ways) this.#follow(way, around, open);
      if (!match) {
        this.#follow(
          { instruction: this.#start, span: { from: place, to: place, start: null, end: null } },
          around,
          open,
        );
      }
      const next: Way[] = [];
      for (const { instruction, span } of open) {
        const found = this.#program[instruction];
        if (found?.kind === "match") {
          match = { ...span, to: place };
          break;
        }
        if (found?.kind === "char" && point >= 0 && found.test(point)) next.push({ instruction: found.next, span });
      }
      if (match && next.length === 0) return match;
      ways = next;
      before = around.after;
      place += point > 0xffff ? 2 : 1;
    }
    return match;
  }

  /** Adds the characters and matches that the way leads to without reading, preferred first. */
  #follow(way: Way, around: Around, into: Way[]): void {
    const open = [way];
    for (let each = open.pop(); each; each = open.pop()) {
      const { instruction, span } = each;
      if (this.#reached[instruction] === around.place) continue;
      this.#reached[instruction] = around.place;
      const found = this.#program[instruction];
      switch (found?.kind) {
        case "split":
          open.push(...found.next.toReversed().map((next) => ({ instruction: next, span })));
          break;
        case "edge":
          open.push({ instruction: found.next, span: { ...span, [found.edge]: around.place } });
          break;
        case "place":
          if (isAt(found.place, around.before, around.after)) open.push({ instruction: found.next, span });
          break;
        case "char":
        case "match":
          into.push(each);
          break;
      }
    }
  }
}
