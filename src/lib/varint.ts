/** Unsigned LEB128 integers, length-prefixed bytes and UTF-8 in a growing buffer: the alphabet of packed rows. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  integer(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.#push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.#push(rest);
  }

  bytes(value: Uint8Array): this {
    this.integer(value.length);
    for (const byte of value) this.#push(byte);
    return this;
  }

  text(value: string): this {
    return this.bytes(new TextEncoder().encode(value));
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): this {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
    return this;
  }
}

/** Reads what a ByteWriter wrote, in the same order. Throws at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  integer(): number {
    let value = 0;
    for (let weight = 1; ; weight *= 0x80) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw new RangeError("packed bytes end too early");
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
  }

  bytes(): Uint8Array {
    const length = this.integer();
    const from = this.#position;
    this.#position += length;
    if (this.#position > this.#bytes.length) throw new RangeError("packed bytes end too early");
    return this.#bytes.slice(from, this.#position);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}
