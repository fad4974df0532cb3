/** At most this much of a body is searched. */
export const BODY_MAX = 1024 * 1024;

/** Reads up to the limit and cancels the rest, which closes the connection of an endless body. */
export async function readResponseBody(
  body: ReadableStream<Uint8Array> | null,
  contentType: string | null,
): Promise<{ text: string; isCut: boolean }> {
  if (!body) return { text: "", isCut: false };
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  try {
    while (length <= BODY_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  const bytes = new Uint8Array(Math.min(length, BODY_MAX));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - offset), offset);
    offset = Math.min(offset + chunk.length, bytes.length);
  }
  return { text: decoderFor(contentType).decode(bytes), isCut: length > BODY_MAX };
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
