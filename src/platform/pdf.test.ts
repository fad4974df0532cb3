import { describe, expect, it } from "vitest";
import type { Mark } from "../domain/report.ts";
import { writePdf } from "./pdf.ts";

const INFO = { title: "Report für 決済", made_at: Date.UTC(2026, 10, 21, 3, 4, 5) };

function write(...marks: Mark[]): string {
  return writePdf([{ width: 595, height: 842, marks }], INFO);
}

/** The bytes of the text that a page shows, in Windows-1252. */
function shown(text: string, more: Partial<Mark & { kind: "text" }> = {}): string {
  const pdf = write({ kind: "text", x: 40, y: 40, size: 10, color: "#000000", text, ...more });
  const hex = /<([0-9a-f]*)> Tj/.exec(pdf)?.[1] ?? "";
  return new TextDecoder("windows-1252").decode(
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  );
}

describe("writePdf", () => {
  it("says where each object begins, and where the table does", () => {
    const pdf = write({ kind: "box", x: 1, y: 2, width: 3, height: 4, color: "#ff0080" });
    expect(pdf).toMatch(/^[\n\x20-\x7e]*$/);
    const offsets = [...pdf.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
    expect(offsets).toHaveLength(7);
    for (const [n, offset] of offsets.entries()) expect(pdf.slice(offset)).toMatch(new RegExp(`^${n + 1} 0 obj\\n`));
    expect(pdf.slice(Number(/startxref\n(\d+)/.exec(pdf)?.[1]))).toMatch(/^xref\n0 8\n/);
    const [, length, stream] = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(pdf) ?? [];
    expect(stream?.length).toBe(Number(length));
    expect(stream).toBe("1 0 0.502 rg 1 836 3 4 re f");
  });

  it("names itself in any script, and says when it was made", () => {
    const pdf = write();
    expect(pdf).toContain("/Title <feff005200650070006f007200740020006600fc007200206c7a6e08>");
    expect(pdf).toContain("/CreationDate (D:20261121030405Z)");
  });

  it.each([
    ["Shop", "Shop"],
    ["Zürich – 5 €", "Zürich – 5 €"],
    ["Zu\u0308rich", "Zürich"],
    ["żółć Đ ș", "zólc D s"],
    ["決済 ✓", "?? ?"],
    ["a\nb", "a?b"],
    ["(x) \\ <y>", "(x) \\ <y>"],
  ])("shows %s as %s", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it("shortens what is too wide, and nothing else", () => {
    expect(shown("WWWW", { width: 37.76 })).toBe("WWWW");
    expect(shown("WWWW", { width: 37.75 })).toBe("WWW…");
    expect(shown("WWWW", { width: 1 })).toBe("…");
  });

  it("ends text at its x where it is set to the right", () => {
    const pdf = write({ kind: "text", x: 100, y: 40, size: 10, color: "#000000", text: "00", align: "right" });
    expect(pdf).toContain("88.88 794 Td");
  });
});
