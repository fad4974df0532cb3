import { deflateSync, inflateSync } from "node:zlib";

/**
 * Null where the data unpacks to more or less than `length` bytes, or is damaged. At most `length` bytes are ever
 * unpacked, however much the data would unfold to; the call is synchronous, so that one isolate unpacks one at a time.
 */
export function inflateExactly(packed: Uint8Array, length: number): Uint8Array<ArrayBuffer> | null {
  try {
    const whole = inflateSync(packed, { maxOutputLength: length });
    return whole.length === length ? new Uint8Array(whole) : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

export function deflate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateSync(bytes));
}
