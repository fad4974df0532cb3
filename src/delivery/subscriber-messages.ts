import type { Scope } from "../access/scope.ts";
import { SUBSCRIBERS_PER_MESSAGE, type SubscriberBatchMessage } from "../contract/messages.ts";
import type { SubscriberMessageContent, SubscriptionTopic } from "../contract/subscriber.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import type { StoredEvent } from "../data/events/read.ts";
import {
  type DueMessage,
  listAffected,
  listDueAmong,
  listDueMessagesOfEvent,
  listDueSubscriberMessages,
} from "../data/subscribers/read.ts";
import {
  deleteSubscriberMessagesBefore,
  deleteUnconfirmedBefore,
  insertSubscriberMessages,
} from "../data/subscribers/write.ts";
import { DAY_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { dispatchMail } from "../outbox/mail.ts";
import { toIso } from "../platform/clock.ts";
import { wakeSubscribers } from "../platform/subscriber-queue.ts";
import { attemptMessage } from "./subscriber-message-attempt.ts";

/**
 * What subscribers of a page are told. The batch that makes something true stores one message for each of them; right
 * after the commit a queue message has them sent, a hundred an invocation, and the minute's sweep finds what is left.
 */
const WOKEN_PER_MINUTE = 10_000;
/** What a queue message has begun is left to it for so long. */
const WAKE_GRACE_MS = 10_000;
/** An invocation has six connections, one of which is for the database. */
const AT_ONCE = 5;
const KEPT_MS = 30 * DAY_MS;
const UNCONFIRMED_KEPT_MS = 7 * DAY_MS;

/** Something that happened to a page, stored as an event or not. */
export type PublishedChange = Pick<StoredEvent, "id" | "name" | "status_page_id" | "data" | "created_at"> & {
  /** What it is about, where that is stored in this very batch. */
  targets?: { monitor_ids: string[]; group_ids: string[] };
};

export interface PlannedMessages {
  /** Part of the batch that makes true what is told. */
  statements: Statement[];
  /** For wakeSubscribers, after the commit. */
  messages: SubscriberBatchMessage[];
}

/** Only what is published is told, and only where whoever wrote it did not decide otherwise. */
export async function planSubscriberMessages(
  db: Db,
  events: readonly PublishedChange[],
  now: number,
): Promise<PlannedMessages> {
  const told = events.flatMap((event) => {
    const topic = topicOf(event.name);
    const { status_page_id, data } = event;
    if (topic === null || status_page_id === null || data.is_public !== true) return [];
    return data.notify_subscribers === false ? [] : [{ event, topic, status_page_id }];
  });
  const statements: Statement[] = [];
  for (const { event, topic, status_page_id } of told) {
    const { names, ...affected } = await affectedBy(db, event, status_page_id);
    const news = { ...newsOf(event), affected: names };
    statements.push(
      insertSubscriberMessages(db, { event_id: event.id, status_page_id, topic, ...affected, news, now }),
    );
  }
  return { statements, messages: told.map(({ event }) => ({ event_id: event.id, after: "" })) };
}

function topicOf(name: string): SubscriptionTopic | null {
  if (name.startsWith("incident.")) return "incident";
  return name.startsWith("maintenance.") ? "maintenance" : null;
}

/** The event's own monitor is named as well, because its incident is stored in this very batch. */
function affectedBy(db: Db, { data, targets }: PublishedChange, status_page_id: string) {
  const id = data.incident_id ?? data.maintenance_id;
  const own = typeof data.monitor_id === "string" ? [data.monitor_id] : [];
  return listAffected(db, {
    id: typeof id === "string" ? id : "",
    status_page_id,
    monitor_ids: [...own, ...(targets?.monitor_ids ?? [])],
    group_ids: targets?.group_ids ?? [],
  });
}

function newsOf({ name, data, created_at }: PublishedChange): Omit<SubscriberMessageContent, "affected"> {
  const textOf = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    event: name,
    title: textOf(data.title) ?? "",
    status: textOf(data.status) ?? "",
    message: textOf(data.message) ?? textOf(data.description),
    starts_at: textOf(data.start),
    ends_at: textOf(data.end),
    severity: textOf(data.severity),
    at: toIso(created_at),
    incident_id: textOf(data.incident_id),
  };
}

/** Sends what one queue message names. What others have taken, or is sent already, is passed over. */
export async function sendSubscriberBatch(scope: Scope, message: SubscriberBatchMessage): Promise<void> {
  const due =
    "message_ids" in message
      ? await listDueAmong(scope.db, message.message_ids, scope.now)
      : await takePage(scope, message);
  const attempt = ({ id }: DueMessage) => attemptMessage(scope, id);
  // First, because nobody's server can hold it up.
  const mails = due.filter(({ channel }) => channel === "email");
  const sealed = await mapConcurrently(mails, AT_ONCE, attempt);
  await dispatchMail(
    scope,
    sealed.filter((mail) => mail !== undefined),
  );
  const others = due.filter(({ channel }) => channel !== "email");
  await mapConcurrently(others, AT_ONCE, attempt);
}

/** The next hundred of an event. Those beyond are handed on first, so that a slow receiver holds up none of them. */
async function takePage(scope: Scope, { event_id, after }: Extract<SubscriberBatchMessage, { event_id: string }>) {
  const limit = SUBSCRIBERS_PER_MESSAGE;
  const due = await listDueMessagesOfEvent(scope.db, { event_id, after, now: scope.now, limit });
  const last = due.at(-1);
  if (last && due.length === limit) await wakeSubscribers(scope.env, scope.log, [{ event_id, after: last.id }]);
  return due;
}

/** Every minute: wakes what is due and not under way, whatever became of its message, and forgets what is too old. */
export async function sweepSubscribers(scope: Scope): Promise<void> {
  const due = await listDueSubscriberMessages(scope.db, scope.now - WAKE_GRACE_MS, WOKEN_PER_MINUTE);
  const messages: SubscriberBatchMessage[] = [];
  for (let from = 0; from < due.length; from += SUBSCRIBERS_PER_MESSAGE) {
    messages.push({ message_ids: due.slice(from, from + SUBSCRIBERS_PER_MESSAGE) });
  }
  await wakeSubscribers(scope.env, scope.log, messages);
  await runBatch(scope.db, [
    deleteUnconfirmedBefore(scope.db, scope.now - UNCONFIRMED_KEPT_MS),
    deleteSubscriberMessagesBefore(scope.db, scope.now - KEPT_MS),
  ]);
}
