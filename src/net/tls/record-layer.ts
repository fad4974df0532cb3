import { IoFault } from "../../lib/io-fault.ts";
import type { NetSocket } from "../port.ts";
import { brokenTls, concat, uint, uint16s, vector } from "./bytes.ts";
import { TLS_1_2 } from "./client-hello.ts";
import type { TrafficKey } from "./key-schedule.ts";

/** Records of TLS over a plain socket (RFC 8446, section 5), in clear until a key is set for a direction. */

export const CONTENT = { change_cipher_spec: 20, alert: 21, handshake: 22, application_data: 23 } as const;
export interface TlsRecord {
  type: number;
  payload: Uint8Array;
}

const HEADER = 5;
const PLAIN_MAX = 2 ** 14;
const SEALED_MAX = PLAIN_MAX + 256;
/** A server that sends nothing but meaningless records would keep us busy. */
const IGNORED_MAX = 20;

export class RecordLayer {
  readonly #socket: NetSocket;
  #received: Uint8Array = new Uint8Array();
  #reading: Sealer | null = null;
  #writing: Sealer | null = null;
  #ignored = 0;

  constructor(socket: NetSocket) {
    this.#socket = socket;
  }

  readWith(key: TrafficKey): void {
    this.#reading = new Sealer(key);
  }

  writeWith(key: TrafficKey): void {
    this.#writing = new Sealer(key);
  }

  /** Null when the server closed the connection. */
  async read(): Promise<TlsRecord | null> {
    for (;;) {
      const header = await this.#peek(HEADER);
      if (!header) return null;
      const [type = 0, major, , high = 0, low = 0] = header;
      const length = high * 256 + low;
      if (type < CONTENT.change_cipher_spec || type > CONTENT.application_data || major !== 3 || length > SEALED_MAX) {
        throw new IoFault("tls", "the server does not speak TLS");
      }
      const record = await this.#peek(HEADER + length);
      if (!record) return null;
      this.#received = this.#received.subarray(record.length);
      if (length === 0 || type === CONTENT.change_cipher_spec) {
        // Middleboxes are soothed by such a record; it means nothing in TLS 1.3.
        if (++this.#ignored > IGNORED_MAX) throw brokenTls();
        continue;
      }
      const payload = record.subarray(HEADER);
      return this.#reading ? await this.#reading.open(header, payload) : { type, payload };
    }
  }

  async write(type: number, payload: Uint8Array): Promise<void> {
    for (let offset = 0; offset < payload.length; offset += PLAIN_MAX) {
      const part = payload.subarray(offset, offset + PLAIN_MAX);
      const sealed = this.#writing ? await this.#writing.seal({ type, payload: part }) : null;
      const record = sealed ?? concat(uint(1, type), uint16s(TLS_1_2), vector(2, part));
      await this.#socket.write(record);
    }
  }

  close(): void {
    this.#socket.close();
  }

  async #peek(length: number): Promise<Uint8Array | null> {
    const chunks = [this.#received];
    for (let count = this.#received.length; count < length; ) {
      const chunk = await this.#socket.read();
      if (!chunk) return null;
      chunks.push(chunk);
      count += chunk.length;
    }
    if (chunks.length > 1) this.#received = concat(...chunks);
    return this.#received.subarray(0, length);
  }
}

/** One direction under one key; the nonce is the key's own iv and the number of the record. */
class Sealer {
  readonly #key: CryptoKey;
  readonly #iv: Uint8Array;
  #records = 0;

  constructor({ key, iv }: TrafficKey) {
    this.#key = key;
    this.#iv = iv;
  }

  async open(header: Uint8Array, sealed: Uint8Array): Promise<TlsRecord> {
    const inner = await this.#decrypt(header, sealed);
    let end = inner.length;
    while (end > 0 && inner[end - 1] === 0) end--;
    return { type: inner[end - 1] ?? 0, payload: inner.subarray(0, Math.max(end - 1, 0)) };
  }

  async seal({ type, payload }: TlsRecord): Promise<Uint8Array> {
    const inner = concat(payload, uint(1, type));
    const tagLength = 16;
    const header = concat(uint(1, CONTENT.application_data), uint16s(TLS_1_2, inner.length + tagLength));
    return concat(header, new Uint8Array(await crypto.subtle.encrypt(this.#nextUse(header), this.#key, inner)));
  }

  async #decrypt(header: Uint8Array, sealed: Uint8Array): Promise<Uint8Array> {
    try {
      return new Uint8Array(await crypto.subtle.decrypt(this.#nextUse(header), this.#key, sealed));
    } catch (cause) {
      throw new IoFault("tls", "the server sent a TLS record that cannot be decrypted", { cause });
    }
  }

  #nextUse(additionalData: Uint8Array) {
    const count = uint(this.#iv.length, this.#records++);
    return { name: "AES-GCM", iv: this.#iv.map((byte, index) => byte ^ (count[index] ?? 0)), additionalData };
  }
}
