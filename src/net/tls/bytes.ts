import { concatenate } from "../../lib/bytes.ts";
import { IoFault } from "../../lib/io-fault.ts";

/** The presentation language of TLS (RFC 8446, section 3): big-endian numbers, and vectors with their length in front. */

export const concat = (...parts: Uint8Array[]): Uint8Array => concatenate(parts);

export function uint(size: number, value: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);
}

export function uint16s(...values: number[]): Uint8Array {
  return concat(...values.map((value) => uint(2, value)));
}

/** `lengthSize` is how many bytes the length takes. */
export function vector(lengthSize: number, ...parts: Uint8Array[]): Uint8Array {
  const content = concat(...parts);
  return concat(uint(lengthSize, content.length), content);
}

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads bytes of the peer; inconsistent lengths are a fault of the peer. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (this.#offset + length > this.#bytes.length) throw brokenTls();
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }

  uint(size: number): number {
    return this.take(size).reduce((value, byte) => value * 256 + byte, 0);
  }

  vector(lengthSize: number): ByteReader {
    return new ByteReader(this.take(this.uint(lengthSize)));
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#offset);
  }
}

export function brokenTls(options?: ErrorOptions): IoFault {
  return new IoFault("tls", "the server's part of the TLS handshake is not valid", options);
}
