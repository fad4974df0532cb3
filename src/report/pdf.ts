import { concatenate } from "../lib/bytes.ts";
import { deflate } from "../platform/zlib.ts";
import { type FontSet, type GlyphOutline, loadGlyphs, type ReadAsset } from "./glyphs.ts";
import type { Mark, ReportPage } from "./layout.ts";
import type { PdfImage } from "./pdf-image.ts";
import { cleanText, type Shown, shorten, toVisualOrder } from "./text-line.ts";
import { buildTrueType, METRICS, MISSING } from "./truetype.ts";

/**
 * Writes PDF 1.7, ISO 32000-1, with the letters that occur in it as embedded fonts; what is copied from it is text.
 *
 * Choice: no PDF library. Those that embed fonts read whole ones at run time, 10 MB in memory for Chinese, and none orders
 * text from right to left; docs/architecture.md compares their sizes. scripts/glyph-packs.ts reads the fonts when the
 * service is built, so that the Worker only joins prepared outlines; bidi-js orders the text. Arabic letters join. Scripts
 * that need more shaping, such as Devanagari, show their letters unjoined.
 */
export interface PdfContent {
  title: string;
  /** Epoch ms. */
  made_at: number;
  pages: readonly ReportPage[];
  /** What marks of the kind "logo" show. */
  logo: PdfImage | null;
}

type PdfObject = string | { entries: string; data: Uint8Array<ArrayBuffer> };

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ELLIPSIS = 0x2026;

export async function writePdf(
  { title, made_at, pages, logo }: PdfContent,
  read: ReadAsset,
): Promise<Uint8Array<ArrayBuffer>> {
  const texts = pages.flatMap(({ marks }) => marks.filter((mark) => mark.kind === "text"));
  // Where there is Japanese, characters that Chinese shares are written the Japanese way.
  const japanese: FontSet[] = texts.some(({ text }) => KANA.test(text)) ? ["japanese"] : [];
  const lineOf = remembering(toVisualOrder);
  const load = async (isBold: boolean, sets: readonly FontSet[]) => {
    const lines = texts.filter(({ bold = false }) => bold === isBold).map(({ text }) => lineOf(cleanText(text)));
    const points = new Set(lines.flatMap((line) => line.map(({ drawn }) => drawn))).add(ELLIPSIS);
    return new TypeFace(await loadGlyphs(points, sets, read), lineOf);
  };
  const [plain, bold] = await Promise.all([
    load(false, [...japanese, "regular"]),
    load(true, ["bold", ...japanese, "regular"]),
  ]);

  const file = new PdfFile();
  const tree = file.reserve();
  const resources = file.reserve();
  const kids: number[] = [];
  for (const page of pages) {
    const content = page.marks.map((mark) => draw(mark, page.height, mark.kind === "text" && mark.bold ? bold : plain));
    const contents = await file.addDeflated("", encode(content.join("\n")));
    const box = `[0 0 ${page.width} ${page.height}]`;
    const entries = `/Type /Page /Parent ${tree} 0 R /MediaBox ${box} /Resources ${resources} 0 R`;
    kids.push(file.add(`<< ${entries} /Contents ${contents} 0 R >>`));
  }
  file.set(tree, `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(" ")}] /Count ${kids.length} >>`);
  const plainId = await plain.addTo(file, "VIGILA+NotoSans");
  const boldId = await bold.addTo(file, "VIGILB+NotoSans-SemiBold");
  const images = logo ? ` /XObject << /Logo ${addImage(file, logo)} 0 R >>` : "";
  file.set(resources, `<< /Font << /F1 ${plainId} 0 R /F2 ${boldId} 0 R >>${images} >>`);
  const catalog = file.add(
    `<< /Type /Catalog /Pages ${tree} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>`,
  );
  const info = file.add(`<< /Title <feff${toUtf16(title)}> /Producer (Vigil) /CreationDate (${toPdfDate(made_at)}) >>`);
  return file.finish(catalog, info);
}

/** The letters of one weight that a document uses, numbered in the order of their first use. */
class TypeFace {
  readonly #letters: Map<number, GlyphOutline>;
  readonly #lineOf: (text: string) => Shown[];
  readonly #used: { letter: GlyphOutline; text: string }[] = [{ letter: MISSING, text: "\ufffd" }];
  readonly #numbers = new Map<string, number>();

  constructor(letters: Map<number, GlyphOutline>, lineOf: (text: string) => Shown[]) {
    this.#letters = letters;
    this.#lineOf = lineOf;
  }

  widthOf(text: string, size: number): number {
    const sum = this.#lineOf(text).reduce((total, shown) => total + this.#letterOf(shown).advance, 0);
    return (sum * size) / METRICS.units_per_em;
  }

  /** The numbers of a line's letters, as hexadecimal digits. */
  numbersOf(text: string): string {
    return this.#lineOf(text)
      .map((shown) => {
        const key = `${shown.drawn} ${shown.text} ${shown.half}`;
        const number = this.#numbers.get(key) ?? this.#used.length;
        if (number === this.#used.length) {
          if (number > 0xffff) return "0000";
          this.#used.push({ letter: this.#letterOf(shown), text: shown.text });
          this.#numbers.set(key, number);
        }
        return toHex(number);
      })
      .join("");
  }

  /** A letter that no font has gets a number too: it shows as a box, but is copied as what it is. */
  #letterOf({ drawn, half }: Shown): GlyphOutline {
    const letter = this.#letters.get(drawn) ?? MISSING;
    if (half === undefined) return letter;
    const advance = Math.floor(letter.advance / 2);
    return half === "first" ? { ...letter, advance } : { advance: letter.advance - advance, outline: new Uint8Array() };
  }

  async addTo(file: PdfFile, name: string): Promise<number> {
    const program = buildTrueType(this.#used.map(({ letter }) => letter));
    const fontFile = await file.addDeflated(`/Length1 ${program.length}`, program);
    const { ascent, descent, cap_height } = METRICS;
    const measures = `/Flags 4 /FontBBox [-1000 -800 3000 1500] /ItalicAngle 0 /Ascent ${ascent} /Descent ${descent}`;
    const descriptor = file.add(
      `<< /Type /FontDescriptor /FontName /${name} ${measures} /CapHeight ${cap_height} /StemV 80 /FontFile2 ${fontFile} 0 R >>`,
    );
    const widths = `/W [0 [${this.#used.map(({ letter }) => letter.advance).join(" ")}]]`;
    const system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity";
    const descendant = file.add(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} ${system} /FontDescriptor ${descriptor} 0 R ${widths} >>`,
    );
    const toUnicode = await file.addDeflated("", encode(this.#characterMap()));
    return file.add(
      `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${toUnicode} 0 R >>`,
    );
  }

  /** Which text each number stands for: what searches and copies. A list in it has at most a hundred lines. */
  #characterMap(): string {
    const lines = this.#used.map(({ text }, n) => `<${toHex(n)}> <${toUtf16(text)}>`);
    const lists = Array.from({ length: Math.ceil(lines.length / 100) }, (_, n) => {
      const some = lines.slice(n * 100, n * 100 + 100);
      return `${some.length} beginbfchar\n${some.join("\n")}\nendbfchar`;
    });
    return [
      "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
      "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
      "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange",
      ...lists,
      "endcmap CMapName currentdict /CMap defineresource pop end end",
    ].join("\n");
  }
}

/** PDF counts from the lower left corner; `y` of a text is the top of its line. */
function draw(mark: Mark, pageHeight: number, face: TypeFace): string {
  switch (mark.kind) {
    case "box":
      return `${toRgb(mark.color)} rg ${outlineOf(mark, pageHeight)} f`;
    case "logo": {
      const place = [mark.width, 0, 0, mark.height, mark.x, pageHeight - mark.y - mark.height];
      return `q ${place.map(fixed).join(" ")} cm /Logo Do Q`;
    }
    case "text": {
      const { x, y, size, width, align, color } = mark;
      const clean = cleanText(mark.text);
      const text = width === undefined ? clean : shorten(clean, (some) => face.widthOf(some, size) <= width);
      const left = align === undefined ? x : x - face.widthOf(text, size) / (align === "center" ? 2 : 1);
      const place = `${fixed(left)} ${fixed(pageHeight - y - size * 0.8)} Td`;
      return `BT ${toRgb(color)} rg /${mark.bold ? "F2" : "F1"} ${size} Tf ${place} <${face.numbersOf(text)}> Tj ET`;
    }
  }
}

/** How far the handles of a curve lie from its ends to make a quarter of a circle. */
const HANDLE = 0.5523;

function outlineOf({ x, y, width, height, radius = 0 }: Mark & { kind: "box" }, pageHeight: number): string {
  const [left, bottom, right, top] = [x, pageHeight - y - height, x + width, pageHeight - y];
  const round = Math.min(radius, width / 2, height / 2);
  if (round <= 0) return `${[left, bottom, width, height].map(fixed).join(" ")} re`;
  const near = round * (1 - HANDLE);
  const steps: [string, ...number[]][] = [
    ["m", left + round, bottom],
    ["l", right - round, bottom],
    ["c", right - near, bottom, right, bottom + near, right, bottom + round],
    ["l", right, top - round],
    ["c", right, top - near, right - near, top, right - round, top],
    ["l", left + round, top],
    ["c", left + near, top, left, top - near, left, top - round],
    ["l", left, bottom + round],
    ["c", left, bottom + near, left + near, bottom, left + round, bottom],
  ];
  return steps.map(([operator, ...numbers]) => `${numbers.map(fixed).join(" ")} ${operator}`).join(" ");
}

function addImage(file: PdfFile, { width, height, entries, data, opacity }: PdfImage): number {
  const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
  if (!opacity) return file.add({ entries: `${size} ${entries}`, data });
  const maskEntries = "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode";
  const mask = file.add({ entries: `${size} ${maskEntries}`, data: opacity });
  return file.add({ entries: `${size} ${entries} /SMask ${mask} 0 R`, data });
}

/** Numbered objects, then a table that says at which byte each begins. */
class PdfFile {
  readonly #objects: PdfObject[] = [];

  add(object: PdfObject): number {
    return this.#objects.push(object);
  }

  /** A number for what can only be written later. */
  reserve(): number {
    return this.add("null");
  }

  set(id: number, object: PdfObject): void {
    this.#objects[id - 1] = object;
  }

  async addDeflated(entries: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    return this.add({ entries: `${entries} /Filter /FlateDecode`.trim(), data: deflate(bytes) });
  }

  finish(catalog: number, info: number): Uint8Array<ArrayBuffer> {
    // The second line marks the file as binary.
    const parts = [encode("%PDF-1.7\n"), Uint8Array.of(0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a)];
    let length = parts.reduce((sum, part) => sum + part.length, 0);
    const append = (part: Uint8Array<ArrayBuffer>) => {
      parts.push(part);
      length += part.length;
    };
    const offsets = this.#objects.map((object, n) => {
      const offset = length;
      append(encode(`${n + 1} 0 obj\n`));
      if (typeof object === "string") append(encode(object));
      else {
        append(encode(`<< ${object.entries} /Length ${object.data.length} >>\nstream\n`));
        append(object.data);
        append(encode("\nendstream"));
      }
      append(encode("\nendobj\n"));
      return offset;
    });
    const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
    const size = offsets.length + 1;
    const trailer = `trailer\n<< /Size ${size} /Root ${catalog} 0 R /Info ${info} 0 R >>\nstartxref\n${length}\n%%EOF\n`;
    append(encode(`xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`));
    return concatenate(parts);
  }
}

/** Cells of a table repeat themselves, and each is measured before it is drawn. */
function remembering<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.get(text) ?? compute(text);
    known.set(text, result);
    return result;
  };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function toUtf16(text: string): string {
  return Array.from({ length: text.length }, (_, n) => toHex(text.charCodeAt(n))).join("");
}

function toHex(number: number): string {
  return number.toString(16).padStart(4, "0");
}

function toPdfDate(instant: number): string {
  return `D:${new Date(instant).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
}

/** `#rrggbb` as shares of one. */
function toRgb(color: string): string {
  return [1, 3, 5].map((start) => fixed(Number.parseInt(color.slice(start, start + 2), 16) / 255)).join(" ");
}

function fixed(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
