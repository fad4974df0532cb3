import { create, type Font, type Glyph } from "fontkit";
import { decompress } from "wawoff2";

/**
 * Turns web fonts into packs of letters: one file for each 1024 code points, so that a document loads the packs of the
 * scripts in it and nothing else. src/report/glyphs.ts reads them.
 *
 * A pack is a count, then for each letter its place in the block, its advance and the length of its outline (16 bits
 * each, big-endian), then the outlines, as the `glyf` table of TrueType has them: without parts, without hints, 1000
 * units to the em.
 */
export interface Face {
  name: string;
  /** A font is split by script; a letter may be in several parts, and is then the same in all. */
  files: (() => Uint8Array)[];
}

interface Letter {
  advance: number;
  outline: Uint8Array;
}

interface Point {
  x: number;
  y: number;
  isOn: boolean;
}

const BLOCK = 1024;
const UNITS_PER_EM = 1000;
/** What shows nothing or directs other letters: it has no outline of its own. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/u;

export async function buildPacks(
  faces: readonly Face[],
  { weight, from }: { weight: number; from: number },
): Promise<Map<string, Uint8Array>> {
  const letters = new Map<number, Letter>();
  for (const face of faces) {
    for (const [point, letter] of await readFace(face, weight)) {
      if (point >= from && !letters.has(point)) letters.set(point, letter);
    }
  }
  const blocks = Map.groupBy(letters, ([point]) => Math.floor(point / BLOCK));
  return new Map([...blocks].map(([block, entries]) => [`${block.toString(16)}.bin`, toPack(entries)]));
}

async function readFace({ name, files }: Face, weight: number): Promise<Map<number, Letter>> {
  const letters = new Map<number, Letter>();
  for (const read of files) {
    const font = create(Buffer.from(await decompress(Buffer.from(read()))));
    if (!("getVariation" in font)) throw new Error(`${name} is a collection of fonts`);
    const varied: Font = font.getVariation({ wght: weight });
    for (const point of font.characterSet) {
      const isLetter = point <= 0x10ffff && !INVISIBLE.test(String.fromCodePoint(point));
      if (isLetter && !letters.has(point)) {
        letters.set(point, toLetter(varied.glyphForCodePoint(point), UNITS_PER_EM / font.unitsPerEm));
      }
    }
  }
  return letters;
}

function toLetter(glyph: Glyph, scale: number): Letter {
  const contours = contoursOf(glyph).map((contour) =>
    contour.map(({ x, y, isOn }) => ({ x: Math.round(x * scale), y: Math.round(y * scale), isOn })),
  );
  return { advance: Math.round(glyph.advanceWidth * scale), outline: toOutline(contours) };
}

/** A curve has two ends and one point between them that it does not touch. */
function contoursOf({ path, name }: Glyph): Point[][] {
  const contours: Point[][] = [];
  for (const { command, args } of path.commands) {
    const [x = 0, y = 0, endX = 0, endY = 0] = args;
    const contour = contours.at(-1) ?? [];
    if (command === "moveTo") contours.push([{ x, y, isOn: true }]);
    else if (command === "lineTo") contour.push({ x, y, isOn: true });
    else if (command === "quadraticCurveTo") {
      contour.push({ x, y, isOn: false }, { x: endX, y: endY, isOn: true });
    } else if (command !== "closePath") throw new Error(`glyph ${name} has curves of another kind: ${command}`);
  }
  return contours.map(withoutObvious).filter(({ length }) => length > 1);
}

/** A contour closes by itself, and a point in the middle between two untouched ones goes without saying. */
function withoutObvious(contour: Point[]): Point[] {
  const first = contour[0];
  const last = contour.at(-1);
  const isClosed = contour.length > 1 && first && last?.isOn && Math.hypot(first.x - last.x, first.y - last.y) < 0.01;
  const ring = isClosed ? contour.slice(0, -1) : contour;
  return ring.filter((point, n) => {
    const before = ring.at(n - 1);
    const after = ring[(n + 1) % ring.length];
    if (!point.isOn || !before || !after || before.isOn || after.isOn || n === 0) return true;
    return Math.hypot(point.x - (before.x + after.x) / 2, point.y - (before.y + after.y) / 2) > 0.01;
  });
}

const ON = 1;
const SHORT = { x: 2, y: 4 };
/** With a short step: upwards. Without: no step at all. */
const SAME_OR_POSITIVE = { x: 16, y: 32 };

/** https://learn.microsoft.com/en-us/typography/opentype/spec/glyf#simple-glyph-description */
function toOutline(contours: Point[][]): Uint8Array {
  if (contours.length === 0) return new Uint8Array(0);
  const points = contours.flat();
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  let end = -1;
  const ends = contours.map((contour) => {
    end += contour.length;
    return end;
  });
  const head = [contours.length, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), ...ends, 0];
  const x = stepsOf(xs, "x");
  const y = stepsOf(ys, "y");
  const flags = points.map(({ isOn }, n) => (isOn ? ON : 0) | (x.flags[n] ?? 0) | (y.flags[n] ?? 0));
  const bytes = [...head.flatMap(toInt16), ...flags, ...x.bytes, ...y.bytes];
  return Uint8Array.from(bytes.length % 2 === 0 ? bytes : [...bytes, 0]);
}

function stepsOf(values: readonly number[], axis: "x" | "y"): { flags: number[]; bytes: number[] } {
  const flags: number[] = [];
  const bytes: number[] = [];
  for (const [n, value] of values.entries()) {
    const step = value - (n === 0 ? 0 : (values[n - 1] ?? 0));
    const isShort = step !== 0 && Math.abs(step) < 256;
    flags.push((isShort ? SHORT[axis] : 0) | (step === 0 || (isShort && step > 0) ? SAME_OR_POSITIVE[axis] : 0));
    if (isShort) bytes.push(Math.abs(step));
    else if (step !== 0) bytes.push(...toInt16(step));
  }
  return { flags, bytes };
}

function toPack(entries: readonly (readonly [number, Letter])[]): Uint8Array {
  const sorted = entries.toSorted(([a], [b]) => a - b);
  const table = sorted.flatMap(([point, { advance, outline }]) => [point % BLOCK, advance, outline.length]);
  return Buffer.concat([
    Uint8Array.from([sorted.length, ...table].flatMap(toInt16)),
    ...sorted.map(([, { outline }]) => outline),
  ]);
}

function toInt16(value: number): number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}
