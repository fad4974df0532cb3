import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cell, toCsv } from "./csv.ts";

describe("toCsv", () => {
  it.each<[string, Cell, string]>([
    ["text", "Shop", "Shop"],
    ["a comma", "a,b", '"a,b"'],
    ["a quote", 'a"b', '"a""b"'],
    ["a line end", "a\r\nb", '"a\r\nb"'],
    ["a formula", '=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ["a sum", "+1", "'+1"],
    ["a difference", "-1", "'-1"],
    ["a function of old", "@SUM(A1)", "'@SUM(A1)"],
    ["a tab", "\t=1", "'\t=1"],
    ["a carriage return", "\r=1", '"\'\r=1"'],
    ["a line feed", "\n=1", '"\'\n=1"'],
    ["a sign inside", "a=1", "a=1"],
    ["a negative number", -5, "-5"],
    ["a claim", true, "true"],
    ["nothing", null, ""],
    ["emoji", "🛒", "🛒"],
  ])("writes %s", (_name, cell, expected) => {
    expect(toCsv([[cell]])).toBe(`${expected}\r\n`);
  });

  it("gives back what it was given, and no text that a spreadsheet would run", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n\",'a") }));
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const parsed = parse(toCsv(rows));
        const guarded = rows.map((row) => row.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)));
        expect(parsed).toEqual(guarded);
        for (const cell of parsed.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
      { numRuns: 5000 },
    );
  });
});

/** As RFC 4180 says, one character after the other. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let n = 0; n < csv.length; n++) {
    const char = csv[n] ?? "";
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (csv[n + 1] === '"') field += csv[++n];
      else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ",") {
      row.push(field);
      field = "";
    } else if (char === "\r" && csv[n + 1] === "\n") {
      rows.push([...row, field]);
      row = [];
      field = "";
      n++;
    } else field += char;
  }
  return rows;
}
