import { IoFault } from "../../lib/io-fault.ts";
import { alertFault, isHarmless } from "./alerts.ts";
import { brokenTls, concat, uint, vector } from "./bytes.ts";
import { CONTENT, type RecordLayer } from "./record-layer.ts";

export const MESSAGE = {
  client_hello: 1,
  server_hello: 2,
  certificate: 11,
  certificate_request: 13,
  finished: 20,
} as const;
/** Far above any chain of certificates. */
const MESSAGE_MAX = 256 * 1024;
const TRANSCRIPT_MAX = 2 * MESSAGE_MAX;
const HEADER = 4;

export interface HandshakeMessage {
  type: number;
  body: Uint8Array;
}

/** The messages of a handshake, independent of record boundaries (RFC 8446, section 4). */
export class MessageStream {
  readonly layer: RecordLayer;
  /** Every message of both sides so far; all keys depend on its hash. */
  transcript: Uint8Array = new Uint8Array();
  #unread: Uint8Array = new Uint8Array();

  constructor(layer: RecordLayer) {
    this.layer = layer;
  }

  async send(type: number, body: Uint8Array): Promise<void> {
    const message = concat(uint(1, type), vector(3, body));
    this.transcript = concat(this.transcript, message);
    await this.layer.write(CONTENT.handshake, message);
  }

  async next(): Promise<HandshakeMessage> {
    await this.#fill(HEADER);
    const [type = 0, ...lengthBytes] = this.#unread.subarray(0, HEADER);
    const length = HEADER + lengthBytes.reduce((sum, byte) => sum * 256 + byte, 0);
    if (length > MESSAGE_MAX) throw brokenTls();
    await this.#fill(length);
    const message = this.#unread.slice(0, length);
    this.#unread = this.#unread.subarray(length);
    this.transcript = concat(this.transcript, message);
    if (this.transcript.length > TRANSCRIPT_MAX) throw brokenTls();
    return { type, body: message.subarray(HEADER) };
  }

  async #fill(length: number): Promise<void> {
    while (this.#unread.length < length) {
      const record = await this.layer.read();
      if (!record) throw new IoFault("tls", "the server closed the connection during the TLS handshake");
      if (record.type === CONTENT.alert) {
        if (!isHarmless(record.payload)) throw alertFault(record.payload);
      } else if (record.type === CONTENT.handshake) {
        this.#unread = concat(this.#unread, record.payload);
      } else {
        throw brokenTls();
      }
    }
  }
}
