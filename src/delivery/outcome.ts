import type { DeliveryState } from "../contract/webhook.ts";
import { HOUR_MS } from "../lib/durations.ts";
import type { AnswerReading } from "../notifiers/port.ts";
import { idFrom } from "../platform/ids.ts";

/** The response to a request, or why there was none. */
export type SendResult =
  | {
      kind: "answered";
      status: number;
      retry_after: string | null;
      excerpt: string;
      /** What the provider means by it, where that is not its status. */
      reading?: AnswerReading;
    }
  | { kind: "unanswered"; is_final: boolean; is_timeout?: boolean; error: string }
  /** Stored for another outbox. */
  | { kind: "accepted" }
  /** The provider has no message for the event. */
  | { kind: "ignored" };

/** The effect of one attempt on its delivery and its webhook. */
export interface Outcome {
  state: DeliveryState;
  /** Epoch ms; null unless pending. */
  next_attempt_at: number | null;
  error: string | null;
  /** The receiver requested no further deliveries: https://github.com/standard-webhooks/standard-webhooks (410 Gone). */
  is_gone: boolean;
}

interface Attempted {
  delivery_id: string;
  /** Counts from 1. */
  attempt: number;
  /** Delays between attempts; after the last one the delivery expires. */
  delays_ms: readonly number[];
  /** Epoch ms at which the attempt ended. */
  ended_at: number;
}

const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = HOUR_MS;
const GONE = 410;
/** Transient errors: request timeout, too early, too many requests. */
const TRANSIENT = [408, 425, 429];

export function decideOutcome(reply: SendResult, attempted: Attempted): Outcome {
  if (reply.kind === "ignored") return { state: "skipped", next_attempt_at: null, error: null, is_gone: false };
  if (isSuccess(reply) || reply.kind === "accepted") {
    return { state: "delivered", next_attempt_at: null, error: null, is_gone: false };
  }
  const error = errorOf(reply);
  const is_gone = reply.kind === "answered" && reply.status === GONE;
  if (!isTransient(reply)) return { state: "failed", next_attempt_at: null, error, is_gone };
  const delay = attempted.delays_ms[attempted.attempt - 1];
  if (delay === undefined) return { state: "expired", next_attempt_at: null, error, is_gone };
  const asked = reply.kind === "answered" ? askedDelayMs(reply, attempted.ended_at) : 0;
  const wait = Math.max(jittered(delay, attempted), asked);
  return { state: "pending", next_attempt_at: attempted.ended_at + wait, error, is_gone };
}

type Reply = Extract<SendResult, { kind: "answered" | "unanswered" }>;

function errorOf(reply: Reply): string {
  if (reply.kind === "unanswered") return reply.error;
  const { reading, status } = reply;
  return reading && reading.kind !== "delivered" ? reading.error : `the endpoint answered ${status}`;
}

function askedDelayMs({ reading, retry_after }: Extract<Reply, { kind: "answered" }>, ended_at: number): number {
  const seconds = reading?.kind === "later" ? reading.wait_seconds : null;
  return retryAfterMs(seconds === null ? retry_after : String(Math.ceil(seconds)), ended_at);
}

function isSuccess(reply: SendResult): boolean {
  if (reply.kind === "answered" && reply.reading) return reply.reading.kind === "delivered";
  return reply.kind === "answered" && reply.status >= 200 && reply.status < 300;
}

function isTransient(reply: Reply): boolean {
  if (reply.kind === "unanswered") return !reply.is_final;
  if (reply.reading) return reply.reading.kind === "later";
  return TRANSIENT.includes(reply.status) || reply.status >= 500;
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), an hour at most; 0 for anything else. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS);
}

/** Spreads the retries of deliveries that failed together. The spread is derived from the id, so it is repeatable. */
function jittered(delay: number, { delivery_id, attempt }: Attempted): number {
  const fraction = Number.parseInt(idFrom("jitter", delivery_id, String(attempt)).slice(0, 8), 16) / 2 ** 32;
  return Math.round(delay * (1 - JITTER + 2 * JITTER * fraction));
}
