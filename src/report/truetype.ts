import { concatenate } from "../lib/bytes.ts";
import type { GlyphOutline } from "./glyphs.ts";

/** Of Noto Sans, in thousandths of its size. */
export const METRICS = { ascent: 1069, descent: -293, cap_height: 714, units_per_em: 1000 };

/** A box, for what no font has. */
export const MISSING: GlyphOutline = {
  advance: 600,
  outline: toBytes([
    ...[2, 60, 0, 540, 714, 3, 7, 0].map((value) => [16, value]),
    ...Array.from({ length: 8 }, () => [8, 1]),
    ...[60, 0, 480, 0, -50, 0, -380, 0].map((value) => [16, value]),
    ...[0, 714, 0, -714, 50, 614, 0, -614].map((value) => [16, value]),
  ]),
};

/**
 * A font of exactly these glyphs, the first of which stands for what is missing. It has the tables that a font inside a
 * PDF needs, ISO 32000-1 9.9, and no others: characters are mapped in the PDF.
 */
export function buildTrueType(glyphs: readonly GlyphOutline[]): Uint8Array<ArrayBuffer> {
  const offsets = [0];
  for (const { outline } of glyphs) offsets.push((offsets.at(-1) ?? 0) + outline.length);
  const glyf = concatenate(glyphs.map(({ outline }) => outline));
  const shapes = glyphs.map(({ outline }) => shapeOf(outline));
  const least = (key: "left" | "bottom") => Math.min(...shapes.map((shape) => shape[key]));
  const most = (key: "right" | "top" | "points" | "contours") => Math.max(...shapes.map((shape) => shape[key]));
  const box = [least("left"), least("bottom"), most("right"), most("top")];
  const widest = Math.max(...glyphs.map(({ advance }) => advance));
  const { ascent, descent, units_per_em } = METRICS;
  const zeros = (count: number) => Array.from({ length: count }, () => [16, 0]);

  const head = [
    ...[0x10000, 0x10000, 0, 0x5f0f3cf5].map((value) => [32, value]),
    ...[3, units_per_em].map((value) => [16, value]),
    ...zeros(8),
    ...[...box, 0, 8, 2, 1, 0].map((value) => [16, value]),
  ];
  const hhea = [
    [32, 0x10000],
    ...[ascent, descent, 0, widest, box[0] ?? 0, 0, box[2] ?? 0, 1].map((value) => [16, value]),
    ...zeros(7),
    [16, glyphs.length],
  ];
  const maxp = [
    [32, 0x10000],
    ...[glyphs.length, most("points"), most("contours"), 0, 0, 2].map((value) => [16, value]),
    ...zeros(8),
  ];
  const hmtx = glyphs.flatMap(({ advance }, n) => [
    [16, advance],
    [16, shapes[n]?.left ?? 0],
  ]);
  const loca = offsets.map((offset) => [32, offset]);
  return assemble([
    ["glyf", glyf],
    ["head", toBytes(head)],
    ["hhea", toBytes(hhea)],
    ["hmtx", toBytes(hmtx)],
    ["loca", toBytes(loca)],
    ["maxp", toBytes(maxp)],
  ]);
}

function shapeOf(outline: Uint8Array) {
  if (outline.length === 0) return { left: 0, bottom: 0, right: 0, top: 0, points: 0, contours: 0 };
  const view = new DataView(outline.buffer, outline.byteOffset, outline.byteLength);
  const contours = view.getInt16(0);
  return {
    left: view.getInt16(2),
    bottom: view.getInt16(4),
    right: view.getInt16(6),
    top: view.getInt16(8),
    points: view.getUint16(8 + 2 * contours) + 1,
    contours,
  };
}

/** https://learn.microsoft.com/en-us/typography/opentype/spec/otff#organization-of-an-opentype-font */
function assemble(
  tables: readonly (readonly [tag: string, bytes: Uint8Array<ArrayBuffer>])[],
): Uint8Array<ArrayBuffer> {
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const directory = [
    [32, 0x10000],
    ...[tables.length, power * 16, Math.log2(power), (tables.length - power) * 16].map((value) => [16, value]),
  ];
  let offset = 12 + tables.length * 16;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const [tag, bytes] of tables) {
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    const name = [...tag].map((letter) => [8, letter.charCodeAt(0)]);
    directory.push(...name, [32, sumOf(padded)], [32, offset], [32, bytes.length]);
    offset += padded.length;
    parts.push(padded);
  }
  return concatenate([toBytes(directory), ...parts]);
}

function sumOf(padded: Uint8Array<ArrayBuffer>): number {
  const view = new DataView(padded.buffer);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

/** Big-endian numbers, each with its size in bits. */
function toBytes(fields: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((length, [bits = 8]) => length + bits / 8, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [bits = 8, value = 0] of fields) {
    if (bits === 8) view.setUint8(at, value);
    else if (bits === 16) view.setUint16(at, value & 0xffff);
    else view.setUint32(at, value);
    at += bits / 8;
  }
  return bytes;
}
