import nodeCrypto from "node:crypto";
import type { Random } from "./random.ts";

/**
 * The runtime's cryptography without threads and without chance: results are there at once, and random bytes are the
 * seed's. It has what the simulated part of the product calls; anything else throws.
 */
interface SimulatedKey {
  bytes: Buffer;
  algorithm: string;
}

type Source = ArrayBuffer | ArrayBufferView;
type Named = string | { name: string };
interface GcmParameters {
  iv: Source;
  additionalData?: Source;
}

const TAG_BYTES = 16;

export function simulatedCrypto(random: Random) {
  const getRandomValues = <View extends ArrayBufferView>(view: View): View => {
    random.fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  };
  const randomUUID = () => uuidFrom(getRandomValues(new Uint8Array(16)));
  return { getRandomValues, randomUUID, subtle: SUBTLE };
}

/** `node:crypto` as the product imports it. */
export function simulatedNodeCrypto(random: Random): typeof nodeCrypto {
  const randomBytes = (size: number) => {
    const bytes = Buffer.alloc(size);
    random.fill(bytes);
    return bytes;
  };
  // Some of the module's own members are getters, which an assignment would meet.
  const replaced = Object.entries({ randomBytes, ...simulatedCrypto(random) });
  return Object.create(nodeCrypto, Object.fromEntries(replaced.map(([name, value]) => [name, { value }])));
}

const SUBTLE = {
  async digest(algorithm: Named, data: Source) {
    return toBuffer(
      nodeCrypto
        .createHash(hashOf(nameOf(algorithm)))
        .update(bytesOf(data))
        .digest(),
    );
  },
  async importKey(_format: string, data: Source, algorithm: Named & { hash?: Named }): Promise<SimulatedKey> {
    const hash = typeof algorithm === "object" && "hash" in algorithm ? algorithm.hash : undefined;
    return { bytes: bytesOf(data), algorithm: hash === undefined ? nameOf(algorithm) : hashOf(nameOf(hash as Named)) };
  },
  async deriveKey(
    { hash, salt, info }: { hash: string; salt: Source; info: Source },
    key: SimulatedKey,
    { length }: { length: number },
  ): Promise<SimulatedKey> {
    const derived = nodeCrypto.hkdfSync(hashOf(hash), key.bytes, bytesOf(salt), bytesOf(info), length / 8);
    return { bytes: Buffer.from(derived), algorithm: "AES-GCM" };
  },
  async encrypt({ iv, additionalData }: GcmParameters, key: SimulatedKey, data: Source) {
    const cipher = nodeCrypto.createCipheriv(
      `aes-${key.bytes.length * 8}-gcm` as "aes-256-gcm",
      key.bytes,
      bytesOf(iv),
    );
    if (additionalData) cipher.setAAD(bytesOf(additionalData));
    return toBuffer(Buffer.concat([cipher.update(bytesOf(data)), cipher.final(), cipher.getAuthTag()]));
  },
  async decrypt({ iv, additionalData }: GcmParameters, key: SimulatedKey, data: Source) {
    const sealed = bytesOf(data);
    const cipher = nodeCrypto.createDecipheriv(
      `aes-${key.bytes.length * 8}-gcm` as "aes-256-gcm",
      key.bytes,
      bytesOf(iv),
    );
    if (additionalData) cipher.setAAD(bytesOf(additionalData));
    cipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    return toBuffer(Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), cipher.final()]));
  },
  async sign(_algorithm: Named, key: SimulatedKey, data: Source) {
    return toBuffer(nodeCrypto.createHmac(key.algorithm, key.bytes).update(bytesOf(data)).digest());
  },
};

function nameOf(algorithm: Named): string {
  return typeof algorithm === "string" ? algorithm : algorithm.name;
}

function hashOf(name: string): string {
  return name.toLowerCase().replace("-", "");
}

function bytesOf(source: Source): Buffer {
  return ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source);
}

function toBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function uuidFrom(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
