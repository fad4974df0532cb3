import { createHash } from "node:crypto";

/** Names under which idFrom derives; any fixed UUID does, but it must never change. */
const NAMESPACE = "8f0a5d0e-5b39-4c5e-9d2f-6c1b7d3a4e21";

/** Low 26 bits that follow the time; seeded below half, so that 33 million ids fit into one millisecond. */
const COUNTER_SEED_BITS = 25;

/** Random bytes for so many ids are fetched at once, because each call into the runtime costs as much as the rest of an id. */
const POOL_IDS = 64;
const ID_RANDOM_BYTES = 10;

let lastNow = Number.NaN;
let counter = 0;
const pool = new DataView(new ArrayBuffer(POOL_IDS * ID_RANDOM_BYTES));
let used = pool.byteLength;
const made = new DataView(new ArrayBuffer(16));

/**
 * UUID v7 (RFC 9562): sorts by `now` (epoch ms); ids made with the same `now` sort in the order in which they were made.
 * The first 26 bits after the time are a counter that starts at random in each millisecond, the other 48 are random.
 */
export function newId(now: number = Date.now()): string {
  if (used === pool.byteLength) {
    crypto.getRandomValues(new Uint8Array(pool.buffer));
    used = 0;
  }
  if (now === lastNow) counter += 1;
  else counter = pool.getUint32(used + 6) >>> (32 - COUNTER_SEED_BITS);
  lastNow = now;
  made.setUint16(0, Math.floor(now / 2 ** 32));
  made.setUint32(2, now % 2 ** 32);
  made.setUint16(6, 0x7000 | (counter >>> 14));
  made.setUint16(8, 0x8000 | (counter & 0x3fff));
  made.setUint16(10, pool.getUint16(used));
  made.setUint32(12, pool.getUint32(used + 2));
  used += ID_RANDOM_BYTES;
  return format(made);
}

/** UUID v5 (RFC 9562): the same words give the same id, everywhere and for ever. `namespaceName` says what kind of thing it names. */
export function idFrom(namespaceName: string, ...parts: string[]): string {
  const digest = createHash("sha1")
    .update(Uint8Array.from(NAMESPACE.replaceAll("-", "").match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)))
    .update(JSON.stringify([namespaceName, ...parts]))
    .digest();
  const view = new DataView(new Uint8Array(digest.subarray(0, 16)).buffer);
  view.setUint16(6, 0x5000 | (view.getUint16(6) & 0x0fff));
  view.setUint16(8, 0x8000 | (view.getUint16(8) & 0x3fff));
  return format(view);
}

const ATTEMPTS_FOUND_MAX = 200;

/** Id of an attempt of a delivery, whose own id is a UUID v5: version 8, the last 32 bits grown by its number. */
export function attemptId(deliveryId: string, attempt: number): string {
  return shifted(deliveryId, "8", attempt);
}

/** The deliveries of which this may be an attempt. */
export function deliveryIdsOf(id: string): string[] {
  if (id[VERSION_AT] !== "8") return [];
  return Array.from({ length: ATTEMPTS_FOUND_MAX }, (_, n) => shifted(id, "5", -(n + 1)));
}

const VERSION_AT = 14;

function shifted(id: string, version: string, by: number): string {
  const low = (Number.parseInt(id.slice(-8), 16) + by) >>> 0;
  return id.slice(0, VERSION_AT) + version + id.slice(VERSION_AT + 1, -8) + low.toString(16).padStart(8, "0");
}

const HEX_DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
/** Where each byte stands in the text of an id. */
const PLACES = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
const characters = Array.from("-".repeat(36), (dash) => dash.charCodeAt(0));

/** Builds the string in one step, because concatenation allocates a string for each byte. */
function format(id: DataView): string {
  for (let n = 0; n < 16; n++) {
    const [byte, place] = [id.getUint8(n), PLACES[n] ?? 0];
    characters[place] = HEX_DIGITS[byte >> 4] ?? 0;
    characters[place + 1] = HEX_DIGITS[byte & 15] ?? 0;
  }
  return String.fromCharCode(...characters);
}
