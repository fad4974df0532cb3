import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { create, type Font, type Glyph } from "fontkit";
import { describe, expect, it } from "vitest";
import { decompress } from "wawoff2";
import type { Mark } from "./layout.ts";
import { writePdf } from "./pdf.ts";
import type { PdfImage } from "./pdf-image.ts";

const ASSETS = resolve(import.meta.dirname, "../../node_modules/.assets");
const PAGE = { width: 595, height: 842 };
const LOGO: PdfImage = {
  width: 2,
  height: 1,
  entries: "/ColorSpace /DeviceGray /BitsPerComponent 8",
  data: Uint8Array.of(0, 255),
  opacity: Uint8Array.of(1, 2, 3),
};

async function write(marks: Mark[], logo: PdfImage | null = null) {
  const asked: string[] = [];
  const read = async (path: string) => {
    asked.push(path);
    return existsSync(ASSETS + path) ? new Uint8Array(readFileSync(ASSETS + path)) : null;
  };
  const content = {
    title: "Report für 決済",
    made_at: Date.UTC(2026, 10, 21, 3, 4, 5),
    pages: [{ ...PAGE, marks }],
    logo,
  };
  return { ...parse(Buffer.from(await writePdf(content, read))), asked };
}

const text = (words: string, more: Partial<Mark & { kind: "text" }> = {}): Mark => ({
  kind: "text",
  x: 40,
  y: 40,
  size: 10,
  color: "#000000",
  text: words,
  ...more,
});

/** The objects of a file, found by its table as a reader does. */
function parse(pdf: Buffer) {
  const file = pdf.toString("latin1");
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  expect(file.slice(start, start + 5)).toBe("xref\n");
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
  const objects = offsets.map((offset, n) => {
    const head = `${n + 1} 0 obj\n`;
    expect(file.slice(offset, offset + head.length)).toBe(head);
    const entries = file.slice(offset + head.length).split("\n")[0] ?? "";
    const length = Number(/\/Length (\d+) >>$/.exec(entries)?.[1] ?? 0);
    const from = offset + head.length + entries.length + "\nstream\n".length;
    if (length > 0) expect(file.slice(from + length, from + length + 10)).toBe("\nendstream");
    return { entries, data: pdf.subarray(from, from + length) };
  });
  const byId = (id: string | undefined) => objects[Number(id) - 1] ?? { entries: "", data: Buffer.alloc(0) };
  const follow = (entries: string, key: string) => byId(new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(entries)?.[1]);
  const find = (type: string) => objects.filter(({ entries }) => entries.includes(type));
  const fonts = find("/Subtype /Type0").map(({ entries }) => {
    const descendant = follow(entries, "DescendantFonts").entries;
    const map = inflateSync(follow(entries, "ToUnicode").data).toString();
    const program = inflateSync(follow(follow(descendant, "FontDescriptor").entries, "FontFile2").data);
    const widths = /\/W \[0 \[([^\]]*)/.exec(descendant)?.[1]?.split(" ").map(Number) ?? [];
    return { map, widths, font: create(program) as Font };
  });
  const textOf = (hex: string, { map }: { map: string }) =>
    (hex.match(/.{4}/g) ?? [])
      .map((id) => new RegExp(`^<${id}> <(\\w+)>`, "m").exec(map)?.[1] ?? "")
      .map((units) => Buffer.from(units, "hex").swap16().toString("utf16le"))
      .join("");
  const content = inflateSync(follow(find("/Type /Page /")[0]?.entries ?? "", "Contents").data).toString();
  const shown = [...content.matchAll(/\/F([12]) .*?<(\w*)> Tj/g)].map(([, n, hex = ""]) => {
    const font = fonts[Number(n) - 1];
    return font ? textOf(hex, font) : "";
  });
  return { file, objects, find, fonts, content, shown };
}

describe("writePdf", () => {
  it("says who made it, what it is called in any script, and when it was made", async () => {
    const { file } = await write([]);
    expect(file.slice(0, 9)).toBe("%PDF-1.7\n");
    expect(file).toContain("/Title <feff005200650070006f007200740020006600fc007200206c7a6e08>");
    expect(file).toContain("/CreationDate (D:20261121030405Z)");
  });

  it.each([
    "Überwachung Ł ő",
    "Привет",
    "Ωμέγα",
    "监控",
    "日本 監視サーバー",
    "Việt",
    "한국 결제",
    "ไทย",
    "საქართველო",
    "Հայաստան",
    "देवनागरी",
    "🚀 ✓ → prod",
    "(x) \\ <y>",
  ])("shows %s with outlines, and lets it be copied", async (words) => {
    for (const bold of [false, true]) {
      const { shown, fonts } = await write([text(words, { bold })]);
      expect(shown).toEqual([words]);
      const { font, widths } = fonts[bold ? 1 : 0] ?? {};
      const letters = new Set(words);
      expect(font?.numGlyphs).toBe(letters.size + 1);
      for (const [n, letter] of [...letters].entries()) {
        const glyph = font?.getGlyph(n + 1);
        expect([letter, (glyph?.path.commands.length ?? 0) > 0]).toEqual([letter, letter !== " "]);
        expect(glyph?.advanceWidth).toBe(widths?.[n + 1]);
      }
    }
  });

  it("draws letters as their font has them, also those of two parts", async () => {
    const source = resolve(ASSETS, "../@fontsource-variable/noto-sans/files/noto-sans-latin-wght-normal.woff2");
    const original = create(Buffer.from(await decompress(readFileSync(source)))) as Font;
    for (const [bold, wght] of [
      [false, 400],
      [true, 600],
    ] as const) {
      const font = (await write([text("gä%", { bold })])).fonts[bold ? 1 : 0]?.font;
      for (const [n, letter] of [..."gä%"].entries()) {
        const wanted = original.getVariation({ wght }).glyphForCodePoint(letter.codePointAt(0) ?? 0);
        const drawn = font?.getGlyph(n + 1);
        const contours = (glyph?: Glyph) => glyph?.path.commands.filter(({ command }) => command === "moveTo").length;
        expect(contours(drawn)).toBe(contours(wanted));
        for (const side of ["minX", "minY", "maxX", "maxY"] as const) {
          expect(Math.abs((drawn?.bbox[side] ?? 0) - wanted.bbox[side])).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it("shows a box for what no font has, and copies it as what it is", async () => {
    const { shown, fonts } = await write([text("a\u{10fffd}")]);
    expect(shown).toEqual(["a\u{10fffd}"]);
    expect(fonts[0]?.font.getGlyph(2).path.toSVG()).toBe(fonts[0]?.font.getGlyph(0).path.toSVG());
  });

  it("sets scripts that run from right to left in the order in which they are seen", async () => {
    expect((await write([text("שלום API")])).shown).toEqual(["API םולש"]);
    const { shown, fonts } = await write([text("سلام")]);
    expect(shown).toEqual(["مالس"]);
    // The shapes of the letters, not their forms alone; the pair of lam and alef is drawn by the first of the two.
    expect(fonts[0]?.font.getGlyph(3).path.commands).toEqual([]);
  });

  it("writes Japanese and Chinese their own way where characters are shared", async () => {
    const outline = async (words: string) => (await write([text(words)])).fonts[0]?.font.getGlyph(1).path.toSVG();
    expect(await outline("直す")).not.toBe(await outline("直接"));
  });

  it("loads the letters of the scripts in it only", async () => {
    expect((await write([text("Shop")])).asked.toSorted()).toEqual([
      "/letters/bold/8.bin",
      "/letters/regular/0.bin",
      "/letters/regular/8.bin",
    ]);
  });

  it("shortens what is too wide, and nothing else", async () => {
    const width = ((await write([text("WWWW")])).fonts[0]?.widths[1] ?? 0) * 0.04;
    expect((await write([text("WWWW", { width })])).shown).toEqual(["WWWW"]);
    expect((await write([text("WWWW", { width: width - 0.1 })])).shown).toEqual(["WWW…"]);
    expect((await write([text("WWWW", { width: 1 })])).shown).toEqual(["…"]);
  });

  it("places text by its end or its middle", async () => {
    const wide = (((await write([text("0")])).fonts[0]?.widths[1] ?? 0) * 2 * 10) / 1000;
    const place = async (align: "right" | "center") =>
      / ([\d.]+ [\d.]+) Td/.exec((await write([text("00", { x: 100, align })])).content)?.[1];
    expect(await place("right")).toBe(`${100 - wide} 794`);
    expect(await place("center")).toBe(`${100 - wide / 2} 794`);
  });

  it("draws boxes, also round ones, and the logo where there is one", async () => {
    const box = { kind: "box", x: 1, y: 2, width: 3, height: 4, color: "#ff0080" } as const;
    expect((await write([box])).content).toBe("1 0 0.502 rg 1 836 3 4 re f");
    expect((await write([{ ...box, radius: 1 }])).content.match(/ c\b/g)).toHaveLength(4);
    const { content, find } = await write([{ kind: "logo", x: 10, y: 20, width: 30, height: 40 }], LOGO);
    expect(content).toBe("q 30 0 0 40 10 782 cm /Logo Do Q");
    const images = find("/Subtype /Image");
    expect(images.map(({ data }) => [...data])).toEqual([
      [1, 2, 3],
      [0, 255],
    ]);
    expect(images[1]?.entries).toContain("/Width 2 /Height 1 /ColorSpace /DeviceGray");
    expect(images[1]?.entries).toMatch(/\/SMask \d+ 0 R/);
  });
});
