import { concatenate } from "../lib/bytes.ts";
import { deflate } from "../platform/zlib.ts";
import type { Picture } from "./picture.ts";

const SIGNATURE = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
const COLOR_TYPE_PALETTE = 3;

/** A PNG of a picture: https://www.w3.org/TR/png-3/ */
export function writePng({ width, height, pixels, palette }: Picture): Uint8Array<ArrayBuffer> {
  const head = new DataView(new ArrayBuffer(13));
  head.setUint32(0, width);
  head.setUint32(4, height);
  head.setUint8(8, 8);
  head.setUint8(9, COLOR_TYPE_PALETTE);
  const rows = new Uint8Array((width + 1) * height);
  // The byte before each row names its filter; none suits few colours best.
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return concatenate([
    SIGNATURE,
    chunk("IHDR", new Uint8Array(head.buffer)),
    chunk("PLTE", palette),
    chunk("IDAT", deflate(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(name: string, data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(data.length + 12);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(new TextEncoder().encode(name), 4);
  whole.set(data, 8);
  view.setUint32(8 + data.length, checksum(whole.subarray(4, 8 + data.length)));
  return whole;
}

/** CRC-32 as PNG wants it; a picture has a few kilobytes. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
