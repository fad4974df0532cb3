import type { Env } from "../platform/env.ts";

/**
 * The outlines of letters, from the packs that scripts/glyph-packs.ts makes of web fonts. They lie among the static
 * assets, one for each 1024 code points, and a document loads those of the scripts in it.
 */
export interface GlyphOutline {
  /** In thousandths of the size of the text. */
  advance: number;
  /** As in the `glyf` table of TrueType; nothing for a space. */
  outline: Uint8Array<ArrayBuffer>;
}

/** The sets, in the order in which they are asked for a letter. */
export type FontSet = "regular" | "bold" | "japanese";

/** Null where there is no such file. */
export type ReadAsset = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>;

const BLOCK = 1024;

export function assetReader({ ASSETS }: Pick<Env, "ASSETS">): ReadAsset {
  return async (path) => {
    const response = await ASSETS.fetch(new URL(path, "https://assets.invalid"));
    if (response.status === 404) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) throw new Error(`the asset ${path} answers ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}

export async function loadGlyphs(
  points: Iterable<number>,
  sets: readonly FontSet[],
  read: ReadAsset,
): Promise<Map<number, GlyphOutline>> {
  const found = new Map<number, GlyphOutline>();
  let missing = [...points];
  for (const set of sets) {
    const blocks = Map.groupBy(missing, (point) => Math.floor(point / BLOCK));
    await Promise.all(
      [...blocks].map(async ([block, wanted]) => {
        const packed = await read(`/letters/${set}/${block.toString(16)}.bin`);
        if (packed) takeFrom(await inflate(packed), wanted, found);
      }),
    );
    missing = missing.filter((point) => !found.has(point));
  }
  return found;
}

/** scripts/glyph-packs.ts describes the layout of a pack. */
function takeFrom(pack: Uint8Array<ArrayBuffer>, wanted: readonly number[], found: Map<number, GlyphOutline>): void {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const pointOf = new Map(wanted.map((point) => [point % BLOCK, point]));
  const count = view.getUint16(0);
  let start = 2 + count * 6;
  for (let n = 0; n < count; n++) {
    const entry = 2 + n * 6;
    const length = view.getUint16(entry + 4);
    const point = pointOf.get(view.getUint16(entry));
    // A copy, so that the pack can go.
    if (point !== undefined) {
      found.set(point, { advance: view.getUint16(entry + 2), outline: pack.slice(start, start + length) });
    }
    start += length;
  }
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Response(packed).body?.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
