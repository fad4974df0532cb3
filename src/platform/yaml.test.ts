import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Composer, Parser } from "yaml";
import { formatYaml, parseYaml } from "./yaml.ts";

/** The error of a file. */
function reject(text: string): { message: string } {
  try {
    parseYaml(text);
  } catch (error) {
    return { message: error instanceof Error ? error.message : "" };
  }
  return { message: "accepted" };
}

/** More tokens than a file may have are not read; spaces between them are lexemes of their own. */
const LEXEMES_MAX = 2 * 40_000 + 2;
/** 16 levels, each with a few entries on the parser's stack. */
const STACK_MAX = 100;
/** Top-level tokens that reach the composer. */
const COMPOSED_MAX = 3;

/** What the library was made to do with a file: work is counted, because time depends on the machine. */
function countWork(text: string) {
  const parse = Parser.prototype.next;
  const compose = Composer.prototype.next;
  const work = { lexemes: 0, depth: 0, composed: 0 };
  Parser.prototype.next = function* (lexeme) {
    work.lexemes += 1;
    yield* parse.call(this, lexeme);
    work.depth = Math.max(work.depth, this.stack.length);
  };
  Composer.prototype.next = function* (token) {
    work.composed += 1;
    yield* compose.call(this, token);
  };
  try {
    return { ...reject(text), ...work };
  } finally {
    Parser.prototype.next = parse;
    Composer.prototype.next = compose;
  }
}

const flow = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const block = (depth: number) => Array.from({ length: depth }, (_, n) => `${" ".repeat(n)}a:`).join("\n");

describe("parseYaml", () => {
  it("reads what JSON can say", () => {
    const text =
      'version: 1\nkind: event_rules\nrules:\n  - event_name: "a"\n    value: 1.5\n    list: [1, true, null, ~, no]\n';
    expect(parseYaml(text)).toEqual({
      version: 1,
      kind: "event_rules",
      rules: [{ event_name: "a", value: 1.5, list: [1, true, null, null, "no"] }],
    });
  });

  it("reads JSON itself, which is YAML", () => {
    expect(parseYaml('{"a": [1, {"b": "c"}]}')).toEqual({ a: [1, { b: "c" }] });
  });

  it("keeps a key named __proto__ a plain member", () => {
    const value = parseYaml("__proto__:\n  polluted: true\n");
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ["16 levels of brackets", flow(16), "accepted"],
    ["17 levels of brackets", flow(17), "the file is nested deeper than 16 levels"],
    ["16 levels of indentation", block(16), "accepted"],
    ["17 levels of indentation", block(17), "the file is nested deeper than 16 levels"],
    ["17 lists on one line", `${"- ".repeat(17)}1`, "the file is nested deeper than 16 levels"],
    ["an alias", "a: &x 1\nb: *x\n", "the file must not contain YAML anchors or aliases"],
    ["an unknown tag", "a: !!js/function 'x'\n", "the file must not contain YAML tags"],
    ["two documents", "a: 1\n---\nb: 2\n", "the file must contain one YAML document"],
    ["nothing", "", "the file must contain one YAML document"],
    ["a repeated key", "a: 1\na: 2\n", "the file must not repeat a YAML key within one object"],
    ["a list as a key", "? [a]\n: 1\n", "the file must have plain texts as YAML keys"],
    ["a bracket without end", "a: [1, 2", "the file is not valid YAML: "],
    ["a tab as indentation", "a:\n\tb: 1\n", "the file is not valid YAML: "],
    ["the largest size", `a: ${"x".repeat(256 * 1024 - 3)}`, "accepted"],
    ["one byte more", `a: ${"x".repeat(256 * 1024 - 2)}`, "the file is larger than 262144 bytes"],
    ["a file of two-byte letters", `a: ${"ä".repeat(128 * 1024)}`, "the file is larger than 262144 bytes"],
  ])("judges %s", (_name, text, message) => {
    const { message: found } = reject(text);
    expect(found.startsWith(message), found).toBe(true);
  });

  const bomb = Array.from(
    { length: 9 },
    (_, n) =>
      `a${n}: &a${n} [${Array(9)
        .fill(n ? `*a${n - 1}` : "x")
        .join(", ")}]`,
  );
  it.each([
    ["an alias bomb", bomb.join("\n")],
    ["a million brackets", "[".repeat(1024 * 1024)],
    ["brackets up to the size", "[".repeat(256 * 1024)],
    ["braces up to the size", "{a: ".repeat(64 * 1024)],
    ["indentation up to the size", block(700)],
    ["lists on one line up to the size", "- ".repeat(128 * 1024)],
    ["explicit keys up to the size", "? ".repeat(128 * 1024)],
    ["an endless list of lists", "[],".repeat(80 * 1024)],
    ["quotes without end", `a: "${"\\\\".repeat(100 * 1024)}`],
    ["comments alone", "#\n".repeat(128 * 1024)],
    ["directives alone", "%A\n".repeat(80 * 1024)],
    ["documents alone", "---\n".repeat(60 * 1024)],
    ["entries without end", "- a\n".repeat(60 * 1024)],
  ])("rejects %s after few tokens, and before a stage that recurses", (_name, text) => {
    const work = countWork(text);
    expect(work.message).not.toBe("accepted");
    expect(work.lexemes).toBeLessThanOrEqual(LEXEMES_MAX);
    expect(work.depth).toBeLessThanOrEqual(STACK_MAX);
    expect(work.composed).toBeLessThanOrEqual(COMPOSED_MAX);
  });

  it.each([
    ["an alias bomb", bomb.join("\n"), "the file must not contain YAML anchors or aliases"],
    ["aliases of an earlier anchor", "a: &x [1]\nb: [*x, *x]\n", "the file must not contain YAML anchors or aliases"],
    ["a tag that a library could run", "a: 1\nb: !!js/function 'x'\n", "the file must not contain YAML tags"],
    ["deep nesting", "[".repeat(1000), "the file is nested deeper than 16 levels"],
  ])("rejects %s before anything is composed or expanded", (_name, text, message) => {
    expect(countWork(text)).toMatchObject({ message, composed: 0 });
  });

  it("rejects a megabyte without reading a token of it", () => {
    const work = countWork("[".repeat(1024 * 1024));
    expect(work).toEqual({ message: "the file is larger than 262144 bytes", lexemes: 0, composed: 0, depth: 0 });
  });

  it("compares each key of a map once, as many as a file may have", () => {
    const keys = 6_600;
    const has = vi.spyOn(Set.prototype, "has");
    const text = Array.from({ length: keys }, (_, n) => `k${n}: 1`).join("\n");
    const work = countWork(text);
    const compared = has.mock.calls.filter(([key]) => /^k\d+$/.test(String(key))).length;
    has.mockRestore();
    expect([work.message, compared]).toEqual(["accepted", keys]);
  });
});

describe("formatYaml", () => {
  it("is read back as the same value, with any texts", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom("yes", "null", "1e3", "0x1F", "~", "- a", "a: b", "#", "*x", "&x", "!t", "2026-01-01", "\n", " "),
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        texts,
        fc.boolean(),
        fc.constant(null),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(texts, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(values, (value) => {
        expect(parseYaml(formatYaml(value))).toEqual(value);
      }),
      { numRuns: 3000 },
    );
  });
});
