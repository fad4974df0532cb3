import { crc32, deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readImage } from "./pdf-image.ts";

interface PngParts {
  width?: number;
  height?: number;
  bits?: number;
  type: number;
  interlaced?: number;
  rows: number[][];
  chunks?: [name: string, bytes: number[]][];
}

function png({ width = 2, height, bits = 8, type, interlaced = 0, rows, chunks = [] }: PngParts) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height ?? rows.length, 4);
  head.set([bits, type, 0, 0, interlaced], 8);
  const chunk = (name: string, content: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", head),
      ...chunks.map(([name, bytes]) => chunk(name, Uint8Array.from(bytes))),
      chunk("IDAT", deflateSync(Uint8Array.from(rows.flat()))),
      chunk("IEND", new Uint8Array()),
    ]),
  );
}

const JPEG_HEAD = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2];
const jpeg = (channels: number, width: number, before: number[] = []) =>
  Uint8Array.from([...JPEG_HEAD, ...before, 0xff, 0xc2, 0, 11, 8, 0, 3, width >> 8, width & 0xff, channels, 1, 17, 0]);

const unpack = (bytes: Uint8Array | null | undefined) => (bytes ? [...inflateSync(bytes)] : bytes);

describe("readImage", () => {
  it.each([
    ["gray", 1, "/DeviceGray"],
    ["coloured", 3, "/DeviceRGB"],
    ["four inks", 4, "/DeviceCMYK"],
  ])("takes a JPEG as it is: %s", async (_name, channels, space) => {
    const bytes = jpeg(channels, 515);
    expect(readImage(bytes)).toEqual({
      width: 515,
      height: 3,
      entries: `/ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode`,
      data: bytes,
      opacity: null,
    });
  });

  it("turns round the inks of Adobe's JPEG", () => {
    const image = readImage(jpeg(4, 9, [0xff, 0xee, 0, 4, 0, 0]));
    expect(image?.entries).toMatch(/\/Decode \[1 0 1 0 1 0 1 0\]$/);
  });

  it("takes the rows of a PNG without transparency as they are", () => {
    const rows = [
      [1, 1, 2, 3, 4, 5, 6],
      [4, 1, 2, 3, 4, 5, 6],
    ];
    const image = readImage(png({ type: 2, rows }));
    expect(image).toMatchObject({ width: 2, height: 2, opacity: null });
    expect(image?.entries).toBe(
      "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns 2 >>",
    );
    expect(unpack(image?.data)).toEqual(rows.flat());
  });

  it("keeps one colour out where it stands for nothing", () => {
    const image = readImage(png({ type: 2, rows: [[0, 1, 2, 3, 4, 5, 6]], chunks: [["tRNS", [0, 1, 0, 2, 0, 3]]] }));
    expect(image?.entries).toMatch(/\/Mask \[1 1 2 2 3 3\]$/);
  });

  it.each([
    ["none", 0, [10, 20, 30, 40, 50, 60, 70, 80]],
    ["the left", 1, [10, 20, 30, 40, 60, 80, 100, 120]],
    ["the row above", 2, [11, 22, 33, 44, 55, 66, 77, 88]],
    ["both", 3, [10, 21, 31, 42, 57, 73, 89, 105]],
    ["the nearest", 4, [11, 22, 33, 44, 61, 82, 103, 124]],
  ])("parts colours and opacity, rows predicted from %s", async (_name, filter, expected) => {
    const first = [1, 2, 3, 4, 5, 6, 7, 8];
    const rows = [
      [0, ...first],
      [filter, 10, 20, 30, 40, 50, 60, 70, 80],
    ];
    const image = readImage(png({ type: 6, rows }));
    const pixels = [...first, ...expected];
    expect(image?.entries).toBe("/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode");
    expect(unpack(image?.data)).toEqual(pixels.filter((_byte, n) => n % 4 !== 3));
    expect(unpack(image?.opacity)).toEqual(pixels.filter((_byte, n) => n % 4 === 3));
  });

  it("keeps the upper half of sixteen bits", () => {
    const image = readImage(png({ type: 4, bits: 16, rows: [[0, 1, 9, 2, 9, 3, 9, 4, 9]] }));
    expect([image?.entries.slice(0, 23), unpack(image?.data), unpack(image?.opacity)]).toEqual([
      "/ColorSpace /DeviceGray",
      [1, 3],
      [2, 4],
    ]);
  });

  it("takes a palette with its opacity, also several points a byte", () => {
    const image = readImage(
      png({
        type: 3,
        bits: 2,
        width: 5,
        rows: [[0, 0b00011011, 0b01000000]],
        chunks: [
          ["PLTE", [1, 2, 3, 4, 5, 6, 7, 8, 9]],
          ["tRNS", [0, 128]],
        ],
      }),
    );
    expect(image?.entries).toContain("/ColorSpace [/Indexed /DeviceRGB 2 <010203040506070809>]");
    expect(unpack(image?.opacity)).toEqual([0, 128, 255, 255, 128]);
  });

  const square = [[0, 1, 2, 3, 4, 5, 6]];
  it.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["text", new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["the first bytes of a PNG", png({ type: 2, rows: square }).slice(0, 40)],
    ["a PNG without an end", png({ type: 2, rows: square }).slice(0, -12)],
    ["an interlaced PNG", png({ type: 2, rows: square, interlaced: 1 })],
    ["a PNG of no known type", png({ type: 5, rows: square })],
    ["a PNG with less in it than it says", png({ type: 2, rows: square, height: 2 })],
    ["a PNG with more in it than it says", png({ type: 2, rows: [...square, ...square], height: 1 })],
    ["a PNG that says it is huge", png({ type: 2, rows: square, width: 4000, height: 4000 })],
    ["a PNG with rows of no known kind", png({ type: 2, rows: [[5, 1, 2, 3, 4, 5, 6]] })],
    ["a PNG whose palette is missing", png({ type: 3, rows: [[0, 0, 0]] })],
    ["a PNG that does not unpack", png({ type: 2, rows: square }).fill(7, 45, 52)],
    ["the first bytes of a JPEG", Uint8Array.from(JPEG_HEAD)],
    ["a JPEG of no size", jpeg(3, 0)],
    ["a JPEG in two inks", jpeg(2, 8)],
  ])("refuses %s", (_name, bytes) => {
    expect(readImage(Uint8Array.from(bytes))).toBeNull();
  });
});
