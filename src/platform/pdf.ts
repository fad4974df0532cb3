import type { Mark, ReportPage } from "../domain/report.ts";

/**
 * Writes PDF 1.4 with the two standard fonts that every reader has (ISO 32000-1, 9.6.2.2), so no font is embedded. They
 * have the characters of Windows-1252; others are written without their accents, or as a question mark.
 */
interface PdfInfo {
  title: string;
  /** Epoch ms. */
  made_at: number;
}

const ELLIPSIS = "…";

/** Widths of Helvetica for the codes 32 to 126, in thousandths of its size: Adobe's font metrics. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
/** Letters with accents are as wide as without; this is for the rest, and wide enough. */
const WIDTH_OTHER = 611;
const BOLD_FACTOR = 1.07;

/** Windows-1252 beyond Latin-1: codes 0x80 to 0x9f. */
const WINDOWS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Letters that are not made of a plain one and an accent. */
const STROKED: Record<string, string> = { ł: "l", Ł: "L", đ: "d", Đ: "D", ħ: "h", Ħ: "H", ı: "i" };

/** The file is ASCII. */
export function writePdf(pages: readonly ReportPage[], info: PdfInfo): string {
  const pageIds = pages.map((_page, n) => 6 + 2 * n);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>",
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    `<< /Title ${toUtf16(info.title)} /Producer (Vigil) /CreationDate (${toPdfDate(info.made_at)}) >>`,
    ...pages.flatMap((page, n) => {
      const content = page.marks.map((mark) => draw(mark, page.height)).join("\n");
      const resources = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>";
      const box = `[0 0 ${page.width} ${page.height}]`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Resources ${resources} /Contents ${7 + 2 * n} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return assemble(objects);
}

/** The table at the end says at which byte each object begins; everything is ASCII, so bytes are characters. */
function assemble(objects: readonly string[]): string {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, n) => {
    const offset = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`;
  return `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

/** PDF counts from the lower left corner; `y` of a text is the top of its line. */
function draw(mark: Mark, pageHeight: number): string {
  const color = `${toRgb(mark.color)} rg`;
  if (mark.kind === "box") {
    return `${color} ${fixed(mark.x)} ${fixed(pageHeight - mark.y - mark.height)} ${fixed(mark.width)} ${fixed(mark.height)} re f`;
  }
  const text = mark.width === undefined ? mark.text : shorten(mark.text, mark.width, mark);
  const codes = toWindows1252(text);
  const x = mark.align === "right" ? mark.x - widthOf(codes, mark) : mark.x;
  const hex = codes.map((code) => code.toString(16).padStart(2, "0")).join("");
  const font = mark.bold ? "F2" : "F1";
  const baseline = pageHeight - mark.y - mark.size * 0.8;
  return `BT ${color} /${font} ${mark.size} Tf ${fixed(x)} ${fixed(baseline)} Td <${hex}> Tj ET`;
}

type Type = Pick<Mark & { kind: "text" }, "size" | "bold">;

function shorten(text: string, width: number, type: Type): string {
  if (widthOf(toWindows1252(text), type) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && widthOf(toWindows1252(letters.join("") + ELLIPSIS), type) > width) letters.pop();
  return letters.join("").trimEnd() + ELLIPSIS;
}

function widthOf(codes: readonly number[], { size, bold }: Type): number {
  const sum = codes.reduce((total, code) => total + (WIDTHS[code - 32] ?? WIDTH_OTHER), 0);
  return (sum * size * (bold ? BOLD_FACTOR : 1)) / 1000;
}

function toWindows1252(text: string): number[] {
  return [...text.normalize("NFC")].flatMap((letter) => {
    const code = codeOf(letter);
    if (code !== undefined) return [code];
    const plain = [...(STROKED[letter] ?? letter.normalize("NFKD"))].map(codeOf).filter((part) => part !== undefined);
    return plain.length > 0 ? plain : [0x3f];
  });
}

function codeOf(letter: string): number | undefined {
  const point = letter.codePointAt(0) ?? 0;
  if ((point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point <= 0xff)) return point;
  const place = point > 0xff ? WINDOWS.indexOf(letter) : -1;
  return place < 0 ? undefined : 0x80 + place;
}

function toUtf16(text: string): string {
  const units = Array.from({ length: text.length }, (_, n) => text.charCodeAt(n).toString(16).padStart(4, "0"));
  return `<feff${units.join("")}>`;
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
