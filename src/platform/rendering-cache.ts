/** A finished document of a public page, valid for the minute `as_of`. */
export interface Rendering {
  as_of: number;
  late_ms: number | null;
  /** Encoded once, because most answers are the same. */
  body: Uint8Array;
  etag: string;
}

/** Bytes; an isolate has 128 MB, and a page of ordinary size takes about 50 kB. */
const SIZE_MAX = 16_000_000;

const kept = new Map<string, Rendering>();
let size = 0;

/** Keys name the version of the page, so that a change never meets an older document. */
export function getRendering(key: string): Rendering | undefined {
  return kept.get(key);
}

export function keepRendering(key: string, rendering: Rendering): void {
  drop(key);
  kept.set(key, rendering);
  size += rendering.body.length;
  for (const oldest of kept.keys()) {
    if (size <= SIZE_MAX) break;
    drop(oldest);
  }
}

function drop(key: string): void {
  size -= kept.get(key)?.body.length ?? 0;
  kept.delete(key);
}
