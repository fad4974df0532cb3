import type { GlyphOutline } from "./glyphs.ts";

/**
 * A picture of few colours, one byte a pixel: shapes with smooth edges on one ground. Edges are exact areas, as font-rs
 * computes them (https://github.com/raphlinus/font-rs): what a line adds to the pixels at its right is accumulated, then
 * summed row by row.
 */
export interface Point {
  x: number;
  y: number;
}

/** Shades from the ground to a colour; its edges need no more. */
const SHADES = 16;
/** Of a curve of a letter, however large it is drawn. */
const CURVE_STEPS = 5;

export class Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly #ground: readonly number[];
  readonly #colors: string[] = [];

  constructor({ width, height, ground }: { width: number; height: number; ground: string }) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
    this.#ground = channelsOf(ground);
  }

  /** Red, green and blue of each value that a pixel may have. */
  get palette(): Uint8Array<ArrayBuffer> {
    const shades = this.#colors.flatMap((color) => {
      const end = channelsOf(color);
      return Array.from({ length: SHADES }, (_, n) =>
        this.#ground.map((value, at) => Math.round(value + (((end[at] ?? 0) - value) * (n + 1)) / SHADES)),
      );
    });
    return new Uint8Array([this.#ground, ...shades].flat());
  }

  fillRectangle(box: { x: number; y: number; width: number; height: number }, color: string): void {
    const value = this.#firstShadeOf(color) + SHADES - 1;
    for (let row = box.y; row < Math.min(this.height, box.y + box.height); row++) {
      this.pixels.fill(value, row * this.width + box.x, row * this.width + Math.min(this.width, box.x + box.width));
    }
  }

  /** Closed outlines; where one lies in another, it cuts a hole if it turns the other way. */
  fill(outlines: readonly (readonly Point[])[], color: string): void {
    const points = outlines.flat();
    if (points.length === 0) return;
    const left = Math.max(0, Math.floor(Math.min(...points.map(({ x }) => x))));
    const top = Math.max(0, Math.floor(Math.min(...points.map(({ y }) => y))));
    const right = Math.min(this.width, Math.ceil(Math.max(...points.map(({ x }) => x))) + 1);
    const bottom = Math.min(this.height, Math.ceil(Math.max(...points.map(({ y }) => y))) + 1);
    if (right <= left || bottom <= top) return;
    const area = new Area(right - left, bottom - top);
    for (const outline of outlines) {
      for (const [n, to] of outline.entries()) {
        const from = outline.at(n - 1) ?? to;
        area.addLine({ x: from.x - left, y: from.y - top }, { x: to.x - left, y: to.y - top });
      }
    }
    const first = this.#firstShadeOf(color);
    area.forEach((x, y, share) => {
      const shade = Math.round(share * SHADES);
      if (shade > 0) this.pixels[(y + top) * this.width + x + left] = first + shade - 1;
    });
  }

  #firstShadeOf(color: string): number {
    if (!this.#colors.includes(color)) this.#colors.push(color);
    return 1 + this.#colors.indexOf(color) * SHADES;
  }
}

/** How much of each pixel of a box lies within its outlines. */
class Area {
  readonly #width: number;
  readonly #height: number;
  readonly #sums: Float32Array;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#sums = new Float32Array(width * height + 2);
  }

  addLine(from: Point, to: Point): void {
    if (from.y === to.y) return;
    const direction = from.y < to.y ? 1 : -1;
    const [start, end] = direction === 1 ? [from, to] : [to, from];
    const slope = (end.x - start.x) / (end.y - start.y);
    let x = start.y < 0 ? start.x - start.y * slope : start.x;
    for (let row = Math.max(0, Math.floor(start.y)); row < Math.min(this.#height, Math.ceil(end.y)); row++) {
      const part = Math.min(row + 1, end.y) - Math.max(row, start.y);
      const next = x + slope * part;
      this.#addRow(row, { share: direction * part, from: Math.min(x, next), to: Math.max(x, next) });
      x = next;
    }
  }

  #addRow(row: number, { share, from, to }: { share: number; from: number; to: number }): void {
    const bound = (x: number) => Math.max(0, Math.min(this.#width - 1, x));
    const [left, right] = [bound(from), bound(to)];
    const first = Math.floor(left);
    const last = Math.ceil(right);
    const at = row * this.#width + first;
    if (last <= first + 1) {
      const middle = (left + right) / 2 - first;
      this.#add(at, share * (1 - middle));
      this.#add(at + 1, share * middle);
      return;
    }
    const inverse = 1 / (right - left);
    const start = left - first;
    const first_part = 0.5 * inverse * (1 - start) ** 2;
    const end = right - last + 1;
    const last_part = 0.5 * inverse * end ** 2;
    this.#add(at, share * first_part);
    if (last === first + 2) this.#add(at + 1, share * (1 - first_part - last_part));
    else {
      const second = inverse * (1.5 - start);
      this.#add(at + 1, share * (second - first_part));
      for (let n = 2; n < last - first - 1; n++) this.#add(at + n, share * inverse);
      const before = second + (last - first - 3) * inverse;
      this.#add(at + last - first - 1, share * (1 - before - last_part));
    }
    this.#add(at + last - first, share * last_part);
  }

  #add(at: number, share: number): void {
    this.#sums[at] = (this.#sums[at] ?? 0) + share;
  }

  forEach(visit: (x: number, y: number, share: number) => void): void {
    for (let y = 0; y < this.#height; y++) {
      let sum = 0;
      for (let x = 0; x < this.#width; x++) {
        sum += this.#sums[y * this.#width + x] ?? 0;
        const share = Math.min(1, Math.abs(sum));
        if (share > 0.03) visit(x, y, share);
      }
    }
  }
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The outlines of a letter whose origin is at `at`, a point on its foot. https://learn.microsoft.com/en-us/typography/opentype/spec/glyf */
export function outlinesOf({ outline }: GlyphOutline, at: Point, scale: number): Point[][] {
  if (outline.length === 0) return [];
  const view = new DataView(outline.buffer, outline.byteOffset, outline.byteLength);
  const contours = view.getInt16(0);
  const ends = Array.from({ length: contours }, (_, n) => view.getUint16(10 + 2 * n));
  const count = (ends.at(-1) ?? -1) + 1;
  let offset = 10 + 2 * contours;
  offset += 2 + view.getUint16(offset);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = view.getUint8(offset++);
    const repeats = flag & 8 ? view.getUint8(offset++) : 0;
    for (let n = 0; n <= repeats; n++) flags.push(flag);
  }
  const readAxis = ([short, same]: readonly [number, number]) => {
    let value = 0;
    return flags.map((flag) => {
      if (flag & short) value += (flag & same ? 1 : -1) * view.getUint8(offset++);
      else if (!(flag & same)) {
        value += view.getInt16(offset);
        offset += 2;
      }
      return value;
    });
  };
  const xs = readAxis([2, 16]);
  const ys = readAxis([4, 32]);
  const points = flags.map((flag, n) => ({
    x: at.x + (xs[n] ?? 0) * scale,
    y: at.y - (ys[n] ?? 0) * scale,
    isOnCurve: (flag & 1) === 1,
  }));
  return ends.map((end, n) => flatten(points.slice(n === 0 ? 0 : (ends[n - 1] ?? 0) + 1, end + 1)));
}

/** Between two points off the curve lies one on it. */
function flatten(points: readonly (Point & { isOnCurve: boolean })[]): Point[] {
  const complete = points.flatMap((point, n) => {
    const next = points[(n + 1) % points.length] ?? point;
    const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2, isOnCurve: true };
    return point.isOnCurve || next.isOnCurve ? [point] : [point, middle];
  });
  const start = complete.findIndex(({ isOnCurve }) => isOnCurve);
  const ring = [...complete.slice(start), ...complete.slice(0, start)];
  return ring.flatMap((point, n) => {
    if (point.isOnCurve) return [point];
    const [from, to] = [ring[n - 1] ?? point, ring[(n + 1) % ring.length] ?? point];
    return Array.from({ length: CURVE_STEPS - 1 }, (_, step) =>
      curveAt({ from, over: point, to }, (step + 1) / CURVE_STEPS),
    );
  });
}

function curveAt({ from, over, to }: { from: Point; over: Point; to: Point }, share: number): Point {
  const rest = 1 - share;
  const along = (axis: "x" | "y") =>
    rest * rest * from[axis] + 2 * rest * share * over[axis] + share * share * to[axis];
  return { x: along("x"), y: along("y") };
}
