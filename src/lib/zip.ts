/** Writes ZIP archives without compression: the files in them are small, and some are archives themselves. */
export interface ZipFile {
  name: string;
  bytes: Uint8Array;
}

const LOCAL_HEADER = 30;
const CENTRAL_HEADER = 46;
const END_RECORD = 22;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the first date that the format knows, so that the same files give the same archive. */
const DATE = 0x0021;

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16 */
export function writeZip(files: readonly ZipFile[]): Uint8Array<ArrayBuffer> {
  const entries = files.map(({ name, bytes }) => ({ name: new TextEncoder().encode(name), bytes, crc: crc32(bytes) }));
  const size = entries.reduce(
    (sum, { name, bytes }) => sum + LOCAL_HEADER + CENTRAL_HEADER + 2 * name.length + bytes.length,
    END_RECORD,
  );
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  let at = 0;
  const put = (size: 2 | 4, ...values: number[]) => {
    for (const value of values) {
      if (size === 2) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
      at += size;
    }
  };
  const append = (bytes: Uint8Array) => {
    out.set(bytes, at);
    at += bytes.length;
  };
  const offsets = entries.map(({ name, bytes, crc }) => {
    const offset = at;
    put(4, 0x04034b50);
    put(2, VERSION, FLAGS, 0, 0, DATE);
    put(4, crc, bytes.length, bytes.length);
    put(2, name.length, 0);
    append(name);
    append(bytes);
    return offset;
  });
  const directory = at;
  for (const [n, { name, bytes, crc }] of entries.entries()) {
    put(4, 0x02014b50);
    put(2, VERSION, VERSION, FLAGS, 0, 0, DATE);
    put(4, crc, bytes.length, bytes.length);
    put(2, name.length, 0, 0, 0, 0);
    put(4, 0, offsets[n] ?? 0);
    append(name);
  }
  const length = at - directory;
  put(4, 0x06054b50);
  put(2, 0, 0, entries.length, entries.length);
  put(4, length, directory);
  put(2, 0);
  return out;
}

const POLYNOMIAL = 0xedb88320;

/** Of ISO 3309, as ZIP uses it. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}
