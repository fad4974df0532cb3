import { IoFault } from "../lib/io-fault.ts";
import type { NotifierRequest } from "../notifiers/port.ts";
import { now } from "../platform/clock.ts";
import { egressOf } from "../platform/egress/guard.ts";
import type { Settings } from "../platform/settings.ts";
import { countUnits } from "../platform/usage.ts";
import type { SendResult } from "./outcome.ts";

/** A body is read up to here, so that the connection can be used again. */
const BODY_READ_BYTES = 64 * 1024;
const BODY_KEPT_BYTES = 4 * 1024;

type SenderRequest = Pick<NotifierRequest, "method" | "url" | "headers"> & { body: string | Uint8Array };

export type TimedReply = SendResult & { duration_ms: number };

/** Sends every request to a receiver. Never throws: an unreachable target is an outcome. */
export async function send(settings: Settings, request: SenderRequest): Promise<TimedReply> {
  const startedAt = now();
  countUnits({ deliveries: 1 });
  const signal = AbortSignal.timeout(settings.DELIVERY_TIMEOUT_MS);
  const reply = await replyTo(settings, request, signal).catch((error: unknown) => unanswered(error, signal, settings));
  return { ...reply, duration_ms: now() - startedAt };
}

async function replyTo(settings: Settings, request: SenderRequest, signal: AbortSignal): Promise<SendResult> {
  const { method, headers, body } = request;
  const outgoing = { method, headers, body, purpose: "delivery", signal } as const;
  const { response } = await egressOf(settings).guardedFetch(new URL(request.url), outgoing);
  return {
    kind: "answered",
    status: response.status,
    retry_after: response.headers.get("retry-after"),
    excerpt: await readExcerpt(response),
  };
}

async function readExcerpt(response: Response): Promise<string> {
  const kept = new Uint8Array(BODY_KEPT_BYTES);
  let length = 0;
  // Leaving the loop cancels the rest of the body and closes the connection.
  for await (const chunk of response.body ?? []) {
    if (length < BODY_KEPT_BYTES) kept.set(chunk.subarray(0, BODY_KEPT_BYTES - length), length);
    length += chunk.byteLength;
    if (length >= BODY_READ_BYTES) break;
  }
  return new TextDecoder().decode(kept.subarray(0, Math.min(length, BODY_KEPT_BYTES)));
}

/** A fixed text for the error: those of the runtime may name addresses. */
function unanswered(error: unknown, signal: AbortSignal, settings: Settings): SendResult {
  if (error instanceof IoFault) {
    const isForbidden = error.kind === "forbidden";
    const reason = isForbidden ? `the address may not be reached: ${error.message}` : error.message;
    return { kind: "unanswered", is_final: isForbidden, error: reason };
  }
  const reason = signal.aborted
    ? `no answer within ${settings.DELIVERY_TIMEOUT_MS} ms`
    : "the connection could not be made or was lost";
  return { kind: "unanswered", is_final: false, is_timeout: signal.aborted, error: reason };
}
