import type { CharTest } from "./char-class.ts";
import { type Pattern, PatternError, type Place, parsePattern } from "./parse.ts";

/**
 * Finds out whether a pattern matches anywhere in a text, in time that grows with the text alone: it follows all ways
 * through the pattern at once, and remembers for each set of them where a character leads (a DFA that is built on the way).
 */
export interface Regex {
  /** The time for one character grows with this, where nothing is remembered. */
  size: number;
  matches(text: string): boolean;
}

export type Instruction =
  | { kind: "char"; test: CharTest; next: number }
  | { kind: "place"; place: Place; next: number }
  /** The ways that may be followed, preferred first. */
  | { kind: "split"; next: number[] }
  /** An edge of the first group. */
  | { kind: "edge"; edge: "start" | "end"; next: number }
  | { kind: "match" };

/** Where the program stands after some characters. */
interface State {
  at: readonly number[];
  before: Neighbour;
  /** What follows, by code point or END, null once the pattern matched; absent where it is not remembered. */
  next?: Map<number, State | null>;
}

export type Neighbour = "nothing" | "line_break" | "word" | "other";

const END = -1;
const LINE_BREAK = 10;
const BASIC_MAX = 0xffff;
const STATES_MAX = 1000;
const NEXT_MAX = 512;
/** A pattern may repeat nothing often, which takes no instructions. */
const STEPS_PER_INSTRUCTION = 20;

/** Throws a PatternError for what is no pattern, and for one of more instructions. */
export function compileRegex(text: string, sizeMax: number): Regex {
  const { program, start } = compileProgram(text, { sizeMax, keepsGroup: false });
  return { size: program.length, matches: (subject) => new Matcher(program, start).matches(subject) };
}

interface CompileOptions {
  sizeMax: number;
  /** The edges of the first group are instructions, too. */
  keepsGroup: boolean;
}

export interface Program {
  program: readonly Instruction[];
  start: number;
}

export function compileProgram(text: string, options: CompileOptions): Program {
  return new Compiler(options).compile(parsePattern(text));
}

class Compiler {
  readonly #program: Instruction[] = [{ kind: "match" }];
  readonly #sizeMax: number;
  readonly #keepsGroup: boolean;
  #steps = 0;

  constructor({ sizeMax, keepsGroup }: CompileOptions) {
    this.#sizeMax = sizeMax;
    this.#keepsGroup = keepsGroup;
  }

  compile(pattern: Pattern): Program {
    return { start: this.#add(pattern, 0), program: this.#program };
  }

  /** Adds what leads through the pattern to `next`, and gives its first instruction. */
  #add(pattern: Pattern, next: number): number {
    this.#steps += 1;
    if (this.#steps > this.#sizeMax * STEPS_PER_INSTRUCTION) throw tooLarge();
    switch (pattern.kind) {
      case "char":
        return this.#push({ kind: "char", test: pattern.test, next });
      case "place":
        return this.#push({ kind: "place", place: pattern.place, next });
      case "sequence":
        return pattern.parts.reduceRight((after, part) => this.#add(part, after), next);
      case "choice":
        return this.#push({ kind: "split", next: pattern.parts.map((part) => this.#add(part, next)) });
      case "group":
        return this.#group(pattern, next);
      case "repeat":
        return this.#repeat(pattern, next);
    }
  }

  #group({ part, number }: Extract<Pattern, { kind: "group" }>, next: number): number {
    if (!this.#keepsGroup || number !== 1) return this.#add(part, next);
    const end = this.#push({ kind: "edge", edge: "end", next });
    return this.#push({ kind: "edge", edge: "start", next: this.#add(part, end) });
  }

  #repeat({ part, min, max, isLazy }: Extract<Pattern, { kind: "repeat" }>, next: number): number {
    let first = next;
    const order = (again: number) => (isLazy ? [next, again] : [again, next]);
    if (max === null) {
      const ways: number[] = [];
      first = this.#push({ kind: "split", next: ways });
      ways.push(...order(this.#add(part, first)));
    } else {
      for (let n = min; n < max; n++) first = this.#push({ kind: "split", next: order(this.#add(part, first)) });
    }
    for (let n = 0; n < min; n++) first = this.#add(part, first);
    return first;
  }

  #push(instruction: Instruction): number {
    if (this.#program.length >= this.#sizeMax) throw tooLarge();
    return this.#program.push(instruction) - 1;
  }
}

function tooLarge(): PatternError {
  return new PatternError("it is too large");
}

class Matcher {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  readonly #states = new Map<string, State>();
  /** For each instruction the last round that came to it, and the last that goes on with it. */
  readonly #reached: Uint32Array;
  readonly #followed: Uint32Array;
  #round = 0;

  constructor(program: readonly Instruction[], start: number) {
    this.#program = program;
    this.#start = start;
    this.#reached = new Uint32Array(program.length);
    this.#followed = new Uint32Array(program.length);
  }

  matches(text: string): boolean {
    let state: State | null = this.#state([this.#start], "nothing");
    for (let n = 0; n < text.length; ) {
      const point: number = text.codePointAt(n) ?? END;
      state = this.#next(state, point);
      if (state === null) return true;
      n += point > BASIC_MAX ? 2 : 1;
    }
    return this.#next(state, END) === null;
  }

  /** Null once the pattern matched. */
  #next(state: State, point: number): State | null {
    const known = state.next?.get(point);
    if (known !== undefined) return known;
    const at = this.#follow(state, point);
    const next = at && this.#state(at, neighbourOf(point));
    if (state.next && state.next.size < NEXT_MAX) state.next.set(point, next);
    return next;
  }

  #state(at: number[], before: Neighbour): State {
    // Where hardly any state comes again, remembering takes longer than following all ways.
    if (this.#states.size >= STATES_MAX) return { at, before };
    const key = `${before} ${at.sort((a, b) => a - b)}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = { at, before, next: new Map() };
    this.#states.set(key, state);
    return state;
  }

  /** A match may begin after every character. */
  #follow({ at, before }: State, point: number): number[] | null {
    this.#round += 1;
    const after = [this.#start];
    this.#followed[this.#start] = this.#round;
    const open = [...at];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#reached[index] === this.#round) continue;
      this.#reached[index] = this.#round;
      const instruction = this.#program[index];
      if (!instruction || instruction.kind === "match") return null;
      if (instruction.kind === "split") open.push(...instruction.next);
      else if (instruction.kind === "place") {
        if (isAt(instruction.place, before, neighbourOf(point))) open.push(instruction.next);
      } else if (instruction.kind === "edge") open.push(instruction.next);
      else if (this.#followed[instruction.next] !== this.#round && point !== END && instruction.test(point)) {
        this.#followed[instruction.next] = this.#round;
        after.push(instruction.next);
      }
    }
    return after;
  }
}

export function neighbourOf(point: number): Neighbour {
  if (point === END) return "nothing";
  if (point === LINE_BREAK) return "line_break";
  return point < 128 && /\w/.test(String.fromCharCode(point)) ? "word" : "other";
}

export function isAt(place: Place, before: Neighbour, after: Neighbour): boolean {
  switch (place) {
    case "text_start":
      return before === "nothing";
    case "text_end":
      return after === "nothing";
    case "line_start":
      return before === "nothing" || before === "line_break";
    case "line_end":
      return after === "nothing" || after === "line_break";
    case "word_edge":
      return (before === "word") !== (after === "word");
    case "no_word_edge":
      return (before === "word") === (after === "word");
  }
}
