import { ApiError, invalid } from "../contract/errors.ts";

export const BODY_BYTES_MAX = 1024 * 1024;
export const JSON_DEPTH_MAX = 32;

/** The body as bytes, read no further than the limit. */
export async function readCapped(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = new ApiError(413, `the body is larger than ${bytesMax} bytes`, { code: "too_large" });
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLarge;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Parses a JSON body; everything that is not well-formed UTF-8 JSON of reasonable depth is the caller's mistake. */
export function parseJsonBody(contentType: string | null, bytes: Uint8Array): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ApiError(415, "the body must be JSON, sent with content-type application/json", {
      code: "unsupported_media_type",
    });
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid("the body is not valid UTF-8");
  }
  if (isDeeperThan(text, JSON_DEPTH_MAX)) throw invalid(`the body is nested deeper than ${JSON_DEPTH_MAX} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("the body is not valid JSON");
  }
}

/** Counts brackets outside strings before parsing, because recursive validators would overflow on what parses fine. */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let n = 0; n < text.length; n++) {
    const char = text[n];
    if (inString) {
      if (char === "\\") n++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      depth++;
      if (depth > depthMax) return true;
    } else if (char === "}" || char === "]") depth--;
  }
  return false;
}
