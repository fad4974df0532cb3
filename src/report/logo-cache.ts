import { sha256Hex } from "../platform/credentials.ts";
import { type PdfImage, readImage } from "./pdf-image.ts";

/** Decoded logos of this isolate, by the hash of their bytes: decoding costs a few hundred milliseconds. */
const decoded = new Map<string, PdfImage | null>();
/** A decoded logo takes at most 8 MB. */
const LOGOS_MAX = 4;

export function readLogo(bytes: Uint8Array<ArrayBuffer>): PdfImage | null {
  const hash = sha256Hex(bytes);
  const known = decoded.get(hash);
  if (known !== undefined) return known;
  const image = readImage(bytes);
  decoded.set(hash, image);
  const [oldest] = decoded.keys();
  if (decoded.size > LOGOS_MAX && oldest !== undefined) decoded.delete(oldest);
  return image;
}
