/**
 * The configuration of the Workers runtime as Miniflare writes it: one segment of https://capnproto.org/encoding.html, by
 * the schema node_modules/workerd/workerd.capnp, whose fields never move. Only what has to differ is written anew.
 */
export class RuntimeConfig {
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    if (bytes.readUInt32LE(0) !== 0) throw new Error("the runtime's configuration has more than one segment");
    this.#bytes = Buffer.from(bytes);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get services(): string[] {
    return this.#elementsOf(this.#pointer(ROOT, CONFIG.services)).map((service) => this.#textAt(service));
  }

  /** Whether anything but the service itself says its name. */
  isUsed(service: string): boolean {
    const text = `${service}\0`;
    return this.#bytes.indexOf(text) !== this.#bytes.lastIndexOf(text);
  }

  /** The service that gets what arrives at the first socket. */
  setEntry(service: string): void {
    const [socket] = this.#elementsOf(this.#pointer(ROOT, CONFIG.sockets));
    if (socket === undefined) throw new Error("the runtime's configuration has no socket");
    this.#setText(this.#pointer(socket + SOCKET.service, DESIGNATOR.name), service);
  }

  /** Where a worker's own requests and connections go. */
  setOutbound(worker: string, service: string): void {
    const designator = this.#pointer(this.#find(worker) + SERVICE.worker, WORKER.globalOutbound);
    this.#setText(this.#pointer(designator, DESIGNATOR.name), service);
  }

  removeCache(worker: string): void {
    this.#setWord(this.#pointer(this.#find(worker) + SERVICE.worker, WORKER.cacheApiOutbound), 0, 0);
  }

  removeServices(isRemoved: (name: string) => boolean): void {
    const list = this.#pointer(ROOT, CONFIG.services);
    const { tag, count, dataWords, words } = this.#listAt(list);
    let kept = 0;
    for (let n = 0; n < count; n++) {
      const from = tag + 1 + n * words;
      if (isRemoved(this.#textAt(from + dataWords))) continue;
      const to = tag + 1 + kept * words;
      kept += 1;
      for (let word = 0; word < words; word++) this.#moveWord(from + word, to + word, word >= dataWords);
    }
    this.#setWord(tag, this.#low(tag) - ((count - kept) << 2), this.#high(tag));
    this.#setWord(list, this.#low(list), ((kept * words) << 3) | COMPOSITE);
  }

  #find(service: string): number {
    const found = this.#elementsOf(this.#pointer(ROOT, CONFIG.services)).find((each) => this.#textAt(each) === service);
    if (found === undefined) throw new Error(`the runtime's configuration has no service ${service}`);
    return found;
  }

  #low(word: number): number {
    return this.#bytes.readUInt32LE(HEADER_BYTES + 8 * word);
  }

  #high(word: number): number {
    return this.#bytes.readUInt32LE(HEADER_BYTES + 8 * word + 4);
  }

  #setWord(word: number, low: number, high: number): void {
    this.#bytes.writeUInt32LE(low >>> 0, HEADER_BYTES + 8 * word);
    this.#bytes.writeUInt32LE(high >>> 0, HEADER_BYTES + 8 * word + 4);
  }

  /** A pointer counts from where it stands. */
  #moveWord(from: number, to: number, isPointer: boolean): void {
    const [low, high] = [this.#low(from), this.#high(from)];
    const isNull = low === 0 && high === 0;
    this.#setWord(to, isPointer && !isNull ? low + ((from - to) << 2) : low, high);
  }

  #target(pointer: number): number {
    return pointer + 1 + (this.#bytes.readInt32LE(HEADER_BYTES + 8 * pointer) >> 2);
  }

  /** The nth pointer of the structure that a pointer leads to. */
  #pointer(structure: number, n: number): number {
    return this.#target(structure) + (this.#high(structure) & 0xffff) + n;
  }

  #listAt(pointer: number) {
    const tag = this.#target(pointer);
    const [dataWords, pointers] = [this.#high(tag) & 0xffff, this.#high(tag) >>> 16];
    return { tag, count: this.#low(tag) >>> 2, dataWords, words: dataWords + pointers };
  }

  /** The first pointer of each structure of a list. */
  #elementsOf(pointer: number): number[] {
    const { tag, count, dataWords, words } = this.#listAt(pointer);
    return Array.from({ length: count }, (_, n) => tag + 1 + n * words + dataWords);
  }

  #textAt(pointer: number): string {
    const from = HEADER_BYTES + 8 * this.#target(pointer);
    return this.#bytes.toString("utf8", from, from + (this.#high(pointer) >>> 3) - 1);
  }

  #setText(pointer: number, value: string): void {
    const text = Buffer.from(`${value}\0`);
    const end = this.#bytes.readUInt32LE(4);
    const words = Math.ceil(text.length / 8);
    this.#bytes = Buffer.concat([this.#bytes, text, Buffer.alloc(8 * words - text.length)]);
    this.#bytes.writeUInt32LE(end + words, 4);
    this.#setWord(pointer, ((end - pointer - 1) << 2) | LIST, (text.length << 3) | BYTES);
  }
}

const HEADER_BYTES = 8;
const ROOT = 0;
const LIST = 1;
const BYTES = 2;
const COMPOSITE = 7;

/** Which pointer of its structure a field is. */
const CONFIG = { services: 0, sockets: 1 };
const SERVICE = { worker: 1 };
const SOCKET = { service: 4 };
const DESIGNATOR = { name: 0 };
const WORKER = { globalOutbound: 4, cacheApiOutbound: 7 };
