import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatYaml, parseYaml } from "./yaml.ts";

/** The error of a file and how long it took, in milliseconds. */
function reject(text: string): { message: string; took: number } {
  const began = performance.now();
  try {
    parseYaml(text);
  } catch (error) {
    return { message: error instanceof Error ? error.message : "", took: performance.now() - began };
  }
  return { message: "accepted", took: performance.now() - began };
}

const flow = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const mapOf = (keys: number) => Array.from({ length: keys }, (_, n) => `k${n}: 1`).join("\n");
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
  ])("rejects %s in no more time than three of the largest files take to read", (_name, text) => {
    const tries = [1, 2, 3, 4].map(() => ({ hostile: reject(text), largest: reject(mapOf(6_600)) }));
    expect(tries.map(({ hostile }) => hostile.message)).not.toContain("accepted");
    expect(tries.map(({ largest }) => largest.message)).toEqual(tries.map(() => "accepted"));
    // The machine may pause at any try; an expensive file is slow every time.
    const least = (times: number[]) => Math.min(...times);
    expect(least(tries.map(({ hostile }) => hostile.took))).toBeLessThan(
      3 * least(tries.map(({ largest }) => largest.took)),
    );
  });

  it("reads sixteen times as many keys in less than the time that grows with their square", () => {
    const tries = [1, 2, 3, 4].map(() => ({ few: reject(mapOf(412)).took, many: reject(mapOf(6_600)).took }));
    expect(Math.min(...tries.map(({ few, many }) => many / few))).toBeLessThan(100);
  });
});

describe("formatYaml", () => {
  it("is read back as the same value, whatever the texts look like", () => {
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
        expect(parseYaml(formatYaml(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 3000 },
    );
  });
});
