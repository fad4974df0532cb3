import { concatenate } from "../lib/bytes.ts";
import { deflate, inflateExactly } from "../platform/zlib.ts";

/**
 * A picture as a PDF takes it, ISO 32000-1 8.9.5: a JPEG as it is, and a PNG mostly too, because its rows are packed in a
 * way that PDF knows. Only transparency has to be taken out of a PNG's pixels.
 */
export interface PdfImage {
  width: number;
  height: number;
  /** Entries of its dictionary, beside type and size. */
  entries: string;
  data: Uint8Array<ArrayBuffer>;
  /** How opaque each point is, deflated, eight bits each. */
  opacity: Uint8Array<ArrayBuffer> | null;
}

const SIDE_MAX = 4096;
/** Checked before anything is unpacked: at most 16 MB of 16-bit points with opacity. */
const PIXELS_MAX = 2_000_000;

/** Null where the bytes are no PNG or JPEG, are damaged, large, or of a rare kind. */
export function readImage(bytes: Uint8Array<ArrayBuffer>): PdfImage | null {
  try {
    if (startsWith(bytes, PNG)) return readPng(bytes);
    return startsWith(bytes, [0xff, 0xd8, 0xff]) ? readJpeg(bytes) : null;
  } catch (error) {
    // Reading past the end, and data that does not unpack.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}

function isFit(width: number, height: number): boolean {
  return width > 0 && height > 0 && width <= SIDE_MAX && height <= SIDE_MAX && width * height <= PIXELS_MAX;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, n) => bytes[n] === byte);
}

const JPEG_SPACES: Record<number, string> = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" };

/** Walks the segments to the one that states the size: ITU-T T.81, B.1.1. */
function readJpeg(bytes: Uint8Array<ArrayBuffer>): PdfImage | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let isAdobe = false;
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xffc0 || marker === 0xffd9 || marker === 0xffda) return null;
    if (marker === 0xffee) isAdobe = true;
    if (marker < 0xffc0 || marker > 0xffc2) continue;
    const size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    const space = JPEG_SPACES[view.getUint8(at + 9)];
    if (view.getUint8(at + 4) !== 8 || space === undefined || !isFit(size.width, size.height)) return null;
    // Adobe's programs write the four inks the wrong way round.
    const decode = isAdobe && space === "/DeviceCMYK" ? " /Decode [1 0 1 0 1 0 1 0]" : "";
    const entries = `/ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode${decode}`;
    return { ...size, entries, data: bytes, opacity: null };
  }
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const GRAY = 0;
const COLOR = 2;
const PALETTE = 3;
const GRAY_WITH_OPACITY = 4;
const COLOR_WITH_OPACITY = 6;
const CHANNELS: Record<number, number> = {
  [GRAY]: 1,
  [COLOR]: 3,
  [PALETTE]: 1,
  [GRAY_WITH_OPACITY]: 2,
  [COLOR_WITH_OPACITY]: 4,
};

interface Png {
  width: number;
  height: number;
  bits: number;
  type: number;
  channels: number;
  palette: Uint8Array;
  transparency: Uint8Array;
  packed: Uint8Array<ArrayBuffer>;
}

function readPng(bytes: Uint8Array<ArrayBuffer>): PdfImage | null {
  const png = parsePng(bytes);
  if (!png) return null;
  const rowLength = Math.ceil((png.width * png.channels * png.bits) / 8);
  const rows = inflateExactly(png.packed, png.height * (rowLength + 1));
  if (!rows || rows.some((byte, n) => n % (rowLength + 1) === 0 && byte > 4)) return null;
  const { width, height, bits, type, palette, transparency } = png;
  const hasOwnOpacity = type === GRAY_WITH_OPACITY || type === COLOR_WITH_OPACITY;
  if (hasOwnOpacity) {
    const pixels = unfilter(rows, rowLength, (png.channels * bits) / 8);
    return { width, height, ...splitOpacity(pixels, png.channels, bits / 8) };
  }
  const space = {
    [GRAY]: "/DeviceGray",
    [COLOR]: "/DeviceRGB",
    [PALETTE]: `[/Indexed /DeviceRGB ${palette.length / 3 - 1} <${hexOf(palette)}>]`,
  }[type];
  const params = `/Predictor 15 /Colors ${png.channels} /BitsPerComponent ${bits} /Columns ${width}`;
  const entries = `/ColorSpace ${space} /BitsPerComponent ${bits} /Filter /FlateDecode /DecodeParms << ${params} >>`;
  if (transparency.length === 0) return { width, height, entries, data: png.packed, opacity: null };
  if (type === PALETTE) {
    const pixels = unfilter(rows, rowLength, 1);
    const opacity = deflate(opacityOf(pixels, png, rowLength));
    return { width, height, entries, data: png.packed, opacity };
  }
  // One colour stands for nothing.
  const view = new DataView(transparency.buffer, transparency.byteOffset, transparency.byteLength);
  const color = Array.from({ length: png.channels }, (_, n) => view.getUint16(n * 2));
  const mask = `/Mask [${color.flatMap((value) => [value, value]).join(" ")}]`;
  return { width, height, entries: `${entries} ${mask}`, data: png.packed, opacity: null };
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** https://www.w3.org/TR/png-3/#5Chunk-layout; null where the picture is interlaced, or no picture. */
function parsePng(bytes: Uint8Array<ArrayBuffer>): Png | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, bits, type] = [view.getUint32(16), view.getUint32(20), view.getUint8(24), view.getUint8(25)];
  const isInterlaced = view.getUint8(28) !== 0;
  const channels = CHANNELS[type];
  if (channels === undefined || isInterlaced || ![1, 2, 4, 8, 16].includes(bits) || !isFit(width, height)) return null;
  if ((channels > 1 && bits < 8) || (type === PALETTE && bits > 8)) return null;
  const parts: Uint8Array[] = [];
  let palette = new Uint8Array();
  let transparency = new Uint8Array();
  for (let at = 8; ; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (content.length < length || (name === "IHDR" && length !== 13)) return null;
    if (name === "PLTE") palette = content;
    if (name === "tRNS") transparency = content;
    if (name === "IDAT") parts.push(content);
    if (name === "IEND") break;
    at += 12 + length;
  }
  const isPaletteFit = palette.length > 0 && palette.length % 3 === 0 && palette.length <= 3 * 2 ** bits;
  if (parts.length === 0 || (type === PALETTE && !isPaletteFit)) return null;
  return { width, height, bits, type, channels, palette, transparency, packed: concatenate(parts) };
}

/** Undoes what a PNG does to each row: https://www.w3.org/TR/png-3/#9Filters */
function unfilter(rows: Uint8Array, rowLength: number, pixelLength: number): Uint8Array<ArrayBuffer> {
  const height = rows.length / (rowLength + 1);
  const pixels = new Uint8Array(height * rowLength);
  for (let row = 0; row < height; row++) {
    const from = row * (rowLength + 1);
    const filter = rows[from];
    const start = row * rowLength;
    for (let n = 0; n < rowLength; n++) {
      const at = start + n;
      const left = n < pixelLength ? 0 : (pixels[at - pixelLength] ?? 0);
      const above = row === 0 ? 0 : (pixels[at - rowLength] ?? 0);
      const value = rows[from + 1 + n] ?? 0;
      if (filter === 0) pixels[at] = value;
      else if (filter === 1) pixels[at] = value + left;
      else if (filter === 2) pixels[at] = value + above;
      else if (filter === 3) pixels[at] = value + ((left + above) >> 1);
      else {
        const corner = row === 0 || n < pixelLength ? 0 : (pixels[at - rowLength - pixelLength] ?? 0);
        pixels[at] = value + nearest(left, above, corner);
      }
    }
  }
  return pixels;
}

function nearest(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner);
  const toAbove = Math.abs(left - corner);
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** The last channel is the opacity; of sixteen bits the upper eight are kept. */
function splitOpacity(pixels: Uint8Array, channels: number, bytesEach: number) {
  const count = pixels.length / channels / bytesEach;
  const colors = channels - 1;
  const data = new Uint8Array(count * colors);
  const opacity = new Uint8Array(count);
  for (let n = 0; n < count; n++) {
    const at = n * channels * bytesEach;
    for (let color = 0; color < colors; color++) data[n * colors + color] = pixels[at + color * bytesEach] ?? 0;
    opacity[n] = pixels[at + colors * bytesEach] ?? 0;
  }
  const space = colors === 1 ? "/DeviceGray" : "/DeviceRGB";
  const entries = `/ColorSpace ${space} /BitsPerComponent 8 /Filter /FlateDecode`;
  return { entries, data: deflate(data), opacity: deflate(opacity) };
}

function opacityOf(pixels: Uint8Array, { width, height, bits, transparency }: Png, rowLength: number) {
  const opacity = new Uint8Array(width * height);
  for (let n = 0; n < opacity.length; n++) {
    const bit = (n % width) * bits;
    const byte = pixels[Math.floor(n / width) * rowLength + (bit >> 3)] ?? 0;
    const index = (byte >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
    opacity[n] = transparency[index] ?? 0xff;
  }
  return opacity;
}
