import { type Heartbeat, type HeartbeatBody, MESSAGE_BYTES_MAX } from "../../contract/push.ts";

/** The stored form of a heartbeat, from any accepted input. */
export function toHeartbeat(input: HeartbeatBody): Heartbeat {
  const message = input.message ? clip(new TextEncoder().encode(input.message)) : null;
  return {
    status: input.status ?? "ok",
    message: message || null,
    duration_ms: input.duration_ms ?? null,
    exit_code: input.exit_code ?? null,
    run_id: input.run_id ?? null,
  };
}

/** The first 10 kB as text: a character that is cut in half is left out, what is no text is replaced. */
export function clip(bytes: Uint8Array): string {
  const decoder = new TextDecoder();
  const text = decoder.decode(bytes.subarray(0, MESSAGE_BYTES_MAX), { stream: bytes.length > MESSAGE_BYTES_MAX });
  return text.replaceAll("\0", "").trim();
}

/** As much of a body as is kept; the rest is not even read. */
export async function readMessage(request: Request): Promise<string | null> {
  const chunks: number[] = [];
  for await (const chunk of request.body ?? []) {
    for (const byte of chunk) chunks.push(byte);
    if (chunks.length > MESSAGE_BYTES_MAX) break;
  }
  return clip(Uint8Array.from(chunks)) || null;
}
