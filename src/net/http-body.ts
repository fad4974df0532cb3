/** At most this much of a body is searched. */
export const BODY_MAX = 1024 * 1024;

export interface ReadLimits {
  lengthMax: number;
  /** What has not come by then is left. */
  timeoutMs?: number;
}

/** Reads up to the limits and cancels the rest, which closes the connection of an endless body. */
export async function readResponseBody(
  body: ReadableStream<Uint8Array> | null,
  contentType: string | null,
  { lengthMax, timeoutMs }: ReadLimits = { lengthMax: BODY_MAX },
): Promise<{ text: string; isCut: boolean }> {
  if (!body) return { text: "", isCut: false };
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  const timer = timeoutMs === undefined ? undefined : setTimeout(cancel, timeoutMs);
  try {
    while (length <= lengthMax) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
  } finally {
    clearTimeout(timer);
    await cancel();
  }
  const bytes = new Uint8Array(Math.min(length, lengthMax));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - offset), offset);
    offset = Math.min(offset + chunk.length, bytes.length);
  }
  return { text: decoderFor(contentType).decode(bytes), isCut: length > lengthMax };
}

/** An unread body would keep its connection open. */
export async function discard(body: ReadableStream<Uint8Array> | null): Promise<void> {
  await body?.cancel().catch(() => {});
}

function decoderFor(contentType: string | null): TextDecoder {
  const charset = /charset="?([^\s;"]+)/i.exec(contentType ?? "")?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder("utf-8");
  }
}
