import type { Scope } from "../access/scope.ts";
import { type RecordedRequest, SECRET_PLACEHOLDER } from "../contract/webhook.ts";
import type { Statement } from "../data/db.ts";
import type { AttemptRecord } from "../data/deliveries/read.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { upsertChatMessage } from "../data/webhooks/chat-messages.ts";
import { secretsOf } from "../notifiers/fields.ts";
import type { Notifier, NotifierMail, NotifierRequest } from "../notifiers/port.ts";
import { sealMail } from "../outbox/mail.ts";
import { idFrom } from "../platform/ids.ts";
import { decideOutcome, type Outcome } from "./outcome.ts";
import { admit } from "./outside-mail.ts";
import { withoutPersonalLinks } from "./personal-links.ts";
import { type Claimed, type Prepared, prepare } from "./prepare.ts";
import { send, type TimedReply } from "./sender.ts";
import { maskUrl } from "./webhook-config.ts";

/** An attempt that was made; record-attempts.ts stores it. */
export interface Attempted extends Claimed {
  record: AttemptRecord;
  outcome: Outcome;
  /** The receiver let the attempt time out, or answered it quickly; null: neither. */
  speed: "slow" | "quick" | null;
  /** Recorded together with the attempt. */
  statements: Statement[];
  mail?: MailRecord;
}

/** One attempt: build, send. A crash before it is recorded repeats the attempt under the same webhook-id. */
export async function performAttempt(scope: Scope, claimed: Claimed): Promise<Attempted> {
  const { delivery } = claimed;
  const prepared = await prepare(scope, claimed);
  const { request, reply, statements, mail } = prepared ? await perform(scope, claimed, prepared) : UNBUILT;
  const decided = decideOutcome(reply, {
    delivery_id: delivery.id,
    attempt: delivery.attempt,
    delays_ms: prepared ? scope.settings.DELIVERY_RETRY_MS.slice(0, prepared.attemptsMax - 1) : [],
    ended_at: scope.now + reply.duration_ms,
  });
  // A channel that alert_channels names may end, the webhook's own goes on.
  const outcome = { ...decided, is_gone: decided.is_gone && prepared?.target.channel === null };
  const record = attemptRecord(scope, claimed, { request, reply, outcome });
  return { ...claimed, record, outcome, speed: speedOf(reply), statements, mail };
}

/** As quick an answer brings a receiver back to the queue of all others. */
const QUICK_MS = 3_000;

function speedOf(reply: TimedReply): Attempted["speed"] {
  if (reply.kind === "unanswered") return reply.is_timeout ? "slow" : null;
  return reply.kind === "answered" && reply.duration_ms <= QUICK_MS ? "quick" : null;
}

interface Performed {
  request: RecordedRequest | null;
  reply: TimedReply;
  /** Recorded together with the attempt. */
  statements: Statement[];
  mail?: MailRecord;
}

const SENT: TimedReply = { kind: "accepted", duration_ms: 0 };

async function perform(scope: Scope, claimed: Claimed, prepared: Prepared): Promise<Performed> {
  const { request, notifier, input, target, edited_id } = prepared;
  const secrets = secretsOf(notifier, target);
  if (request === null) return { request: null, reply: { kind: "ignored", duration_ms: 0 }, statements: [] };
  const sender = { kind: "owner", owner_id: claimed.webhook.owner_id } as const;
  const refusal = await admit(scope, sender, notifier.receiverOf?.(target));
  if (refusal !== null) {
    const reply = { kind: "unanswered", is_final: false, error: refusal, duration_ms: 0 } as const;
    return { request: recordOf(request, notifier, secrets), reply, statements: [] };
  }
  if (request.kind === "mail") {
    const { kind: _, ...text } = request;
    // One delivery gives one mail, also when two attempts overlap.
    const mail = await sealMail(scope, text, idFrom("delivery mail", claimed.delivery.id));
    return {
      request: recordOf(request, notifier, secrets),
      reply: SENT,
      statements: [insertMail(scope.db, mail)],
      mail,
    };
  }
  const reply = await sendBoth(scope, prepared, request);
  if (edited_id !== null && isEditRefused(reply)) {
    // The message was deleted in the chat: a new one takes its place.
    const fresh = notifier.build(input, target);
    if (fresh?.kind === "http") {
      const again = { ...prepared, edited_id: null, request: fresh };
      return recordSent(scope, claimed, again, await sendTo(scope, notifier, fresh));
    }
  }
  return recordSent(scope, claimed, { ...prepared, request }, reply);
}

/** The second request answers for both where the first one was accepted. */
async function sendBoth(scope: Scope, { notifier, input, target, edited_id }: Prepared, request: NotifierRequest) {
  const reply = await sendTo(scope, notifier, request);
  const second = isAccepted(reply) ? notifier.follow?.(input, target, edited_id) : null;
  return second ? sendTo(scope, notifier, second) : reply;
}

/** A provider may answer 200 and say in the body that it refused. */
async function sendTo({ settings }: Scope, notifier: Notifier, request: NotifierRequest): Promise<TimedReply> {
  const reply = await send(settings, request);
  if (reply.kind !== "answered") return reply;
  const reading = notifier.readAnswer?.(reply) ?? null;
  return reading === null ? reply : { ...reply, reading };
}

/** What is stored of an attempt: the message that it sent, and request and answer without secrets. */
function recordSent(
  scope: Scope,
  claimed: Claimed,
  prepared: Prepared & { request: NotifierRequest },
  reply: TimedReply,
): Performed {
  const { request, notifier, target } = prepared;
  const secrets = secretsOf(notifier, target);
  const stored = reply.kind === "answered" ? { ...reply, excerpt: maskSecrets(reply.excerpt, secrets) } : reply;
  return {
    request: recordOf(request, notifier, secrets),
    reply: stored,
    statements: remember(scope, claimed, prepared, reply),
  };
}

function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, SECRET_PLACEHOLDER), text);
}

const EDIT_REFUSED = [400, 403, 404, 410];

function isEditRefused(reply: TimedReply): boolean {
  if (reply.kind !== "answered") return false;
  return reply.reading ? reply.reading.kind === "refused" : EDIT_REFUSED.includes(reply.status);
}

function isAccepted(reply: TimedReply): boolean {
  if (reply.kind !== "answered") return false;
  return reply.reading ? reply.reading.kind === "delivered" : reply.status >= 200 && reply.status < 300;
}

/** Stores which message of the provider this delivery sent, so that the next one of the same state edits it. */
function remember(
  { db, now }: Scope,
  { webhook }: Claimed,
  { notifier, input, edited_id }: Prepared,
  reply: TimedReply,
): Statement[] {
  if (!notifier.editing || reply.kind !== "answered" || !isAccepted(reply)) return [];
  // One that stands for the whole thread stays, although the answer may be about a reply to it.
  const isKept = notifier.editing.isOfThread && edited_id !== null;
  const message_id = isKept ? edited_id : notifier.editing.parseMessageId(reply.excerpt);
  if (message_id === null) return [];
  const { id: thread_id, state } = input.message.thread;
  return [upsertChatMessage(db, { webhook_id: webhook.id, thread_id, state, message_id, updated_at: now })];
}

const UNBUILT: Performed = {
  request: null,
  reply: { kind: "unanswered", is_final: true, error: "the stored address could not be used", duration_ms: 0 },
  statements: [],
};

function attemptRecord(
  { now }: Scope,
  { delivery }: Claimed,
  { request, reply, outcome }: Pick<Performed, "request" | "reply"> & { outcome: Outcome },
): AttemptRecord {
  const answer = reply.kind === "answered" ? reply : null;
  return {
    delivery_id: delivery.id,
    attempt: delivery.attempt,
    request: request ?? { method: "POST", url: "", headers: {}, body: "" },
    response_status: answer?.status ?? null,
    response_body: answer?.excerpt ?? null,
    duration_ms: reply.duration_ms,
    error: outcome.error,
    next_attempt_at: outcome.next_attempt_at,
    created_at: now,
  };
}

function recordOf(
  request: NotifierRequest | NotifierMail,
  notifier: Notifier,
  secrets: readonly string[],
): RecordedRequest {
  return request.kind === "mail" ? mailRequest(request) : recordedRequest(request, notifier, secrets);
}

/** Without address and secrets. */
function recordedRequest(
  request: NotifierRequest,
  { provider }: Notifier,
  ofTarget: readonly string[],
): RecordedRequest {
  const { method, body } = request;
  const secrets = [...ofTarget, ...(request.secrets ?? [])];
  const url = maskUrl(request.url);
  if (provider === "generic") return { url, signature: request.headers["webhook-signature"] ?? null };
  const { authorization, ...headers } = request.headers;
  const mask = (text: string) => maskSecrets(withoutPersonalLinks(text), secrets);
  const named = Object.entries(headers).map(([name, value]) => [name, mask(value)]);
  const shown = { ...Object.fromEntries(named), ...(authorization !== undefined && { authorization: "***" }) };
  return { method, url, headers: shown, body: mask(body) };
}

function mailRequest({ subject, text }: NotifierMail): RecordedRequest {
  return { method: "MAIL", url: "mailto:***", headers: { subject }, body: withoutPersonalLinks(text) };
}
