import type { Scope } from "../access/scope.ts";
import type { IncidentData, MaintenanceData } from "../contract/event-data.ts";
import {
  EVENTS,
  type EventOf,
  type KnownEvent,
  type SubscriberNoticeName,
  type SubscriptionTopic,
} from "../contract/events.ts";
import { SUBSCRIBERS_PER_MESSAGE, type SubscriberBatchMessage } from "../contract/messages.ts";
import type { SubscriberMessageContent } from "../contract/subscriber.ts";
import { runBatch } from "../data/db.ts";
import {
  type DueMessage,
  listAffected,
  listDueAmong,
  listDueMessagesOfEvent,
  listSubscriberMessagesToWake,
} from "../data/subscribers/read.ts";
import {
  deleteSubscriberMessagesBefore,
  deleteUnconfirmedBefore,
  type IncidentNews,
  insertSubscriberMessages,
} from "../data/subscribers/write.ts";
import { byName } from "../lib/by-name.ts";
import { DAY_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { incidentOpenedEventId, outageIncidentEventId } from "../outbox/event-ids.ts";
import { joinPublications, type Publication, sweepPages } from "../outbox/publication.ts";
import { wakeSubscribers } from "../outbox/subscriber-queue.ts";
import { runFrom, toIso } from "../platform/clock.ts";
import { dispatchMail } from "./mail.ts";
import { attemptMessage } from "./subscriber-message-attempt.ts";

/**
 * Messages to subscribers of a page. The batch that stores a change stores one message per subscriber; after the commit
 * a queue message has them sent, a hundred per invocation, and the sweep wakes what is left.
 */

/** An invocation has six connections, one of which is for the database. */
const AT_ONCE = 5;
const KEPT_MS = 30 * DAY_MS;
const UNCONFIRMED_KEPT_MS = 7 * DAY_MS;

/** A change of a maintenance window that subscribers receive although it is no event. */
export interface SubscriberNotice {
  id: string;
  /** `maintenance.completed` where an update of a user replaces the text of the event. */
  name: SubscriberNoticeName | "maintenance.completed";
  status_page_id: string;
  data: MaintenanceData;
  created_at: number;
  /** Affected objects that are stored only in this very batch. */
  targets: { monitor_ids: string[]; group_ids: string[]; covers_page: boolean };
}

/** An open incident is no longer published: an end to its readers, and to them alone. */
interface WithdrawalNotice {
  id: string;
  name: "incident.withdrawn";
  status_page_id: string;
  data: IncidentData;
  created_at: number;
  targets?: undefined;
}

export type PublishedChange = SubscriberNotice | WithdrawalNotice | (KnownEvent & { targets?: undefined });

type PublishScope = Pick<Scope, "env" | "db" | "log">;

/** Sends published changes only, and no update that was posted without notifying subscribers. */
export async function publishToSubscribers(
  scope: PublishScope,
  changes: readonly PublishedChange[],
  now: number,
): Promise<Publication> {
  const publications = changes.flatMap((change) => {
    const message = messageOf(change);
    return message ? [publishMessage(scope, { change, message, now })] : [];
  });
  return joinPublications(await Promise.all(publications));
}

interface Message {
  topic: SubscriptionTopic;
  /** The incident or maintenance window. */
  about_id: string;
  status_page_id: string;
  monitor_ids: string[];
  content: Omit<SubscriberMessageContent, "affected" | "together">;
  incident: Omit<IncidentNews, "hidden_news"> | null;
}

/** Where a change stands in the story of its incident. */
const STEPS = {
  "incident.created": "begins",
  "incident.updated": "goes_on",
  "incident.resolved": "ends",
  "incident.withdrawn": "withdrawn",
} as const;

/** How those are found who know the beginning of these incidents of a page. */
export function toldOf(incidents: readonly EventOf<"incident.resolved">["data"][]) {
  const [first] = incidents;
  return {
    ids: incidents.map(({ incident_id }) => incident_id),
    bundle_ids: [...new Set(incidents.flatMap(({ bundle_id }) => bundle_id ?? []))],
    begun_by: incidents.flatMap(({ incident_id, outage_id }) => [
      incidentOpenedEventId(incident_id),
      ...[outage_id ?? incident_id, incident_id].map((of) =>
        outageIncidentEventId("incident.created", { incident_id, outage_id: of }),
      ),
    ]),
    is_automatic: first ? first.outage_id !== null : false,
    started_at: Math.min(...incidents.map(({ started_at }) => Date.parse(started_at))),
  };
}

/** Null for a change that subscribers do not receive. */
function messageOf(change: PublishedChange): Message | null {
  const { status_page_id } = change;
  if (status_page_id === null) return null;
  const at = toIso(change.created_at);
  switch (change.name) {
    case "incident.created":
    case "incident.updated":
    case "incident.resolved":
    case "incident.withdrawn": {
      const { data } = change;
      if (!data.is_public || !data.notify_subscribers) return null;
      const { incident_id, bundle_id, title, status, severity, message } = data;
      const event = data.is_withdrawn ? "incident.withdrawn" : change.name;
      // To those who have read nothing of it, what is published begins, also where it is over.
      const step = data.is_publication ? "goes_on" : STEPS[change.name];
      return {
        topic: EVENTS["incident.resolved"].topic,
        about_id: incident_id,
        status_page_id,
        // The incident of a monitor is stored in this very batch.
        monitor_ids: data.monitor_id === null ? [] : [data.monitor_id],
        content: {
          event,
          title,
          status,
          message,
          severity,
          // The public meets the one that lists it.
          incident_id: bundle_id ?? incident_id,
          about: [incident_id],
          at,
          starts_at: null,
          ends_at: null,
        },
        incident: { ...toldOf([data]), step, is_over: status === "resolved" },
      };
    }
    case "maintenance.started":
    case "maintenance.completed":
    case "maintenance.scheduled":
    case "maintenance.rescheduled":
    case "maintenance.cancelled":
    case "maintenance.updated": {
      const { data } = change;
      if (!data.is_public || data.notify_subscribers === false) return null;
      const { maintenance_id, title, status, message, start, end } = data;
      return {
        topic: "maintenance",
        about_id: maintenance_id,
        status_page_id,
        monitor_ids: [],
        content: {
          event: change.name,
          title,
          status,
          message,
          at,
          starts_at: start,
          ends_at: end,
          severity: null,
          incident_id: null,
          about: [],
        },
        incident: null,
      };
    }
    default:
      return null;
  }
}

async function publishMessage(
  scope: PublishScope,
  { change, message, now }: { change: PublishedChange; message: Message; now: number },
): Promise<Publication> {
  const { topic, status_page_id, content, incident } = message;
  const { names, ...affected } = await listAffected(scope.db, {
    id: message.about_id,
    status_page_id,
    monitor_ids: [...message.monitor_ids, ...(change.targets?.monitor_ids ?? [])],
    group_ids: change.targets?.group_ids ?? [],
    covers_page: change.targets?.covers_page ?? false,
  });
  const news = { ...content, affected: names.toSorted(byName), together: null };
  // What was written on a page that is hidden by now is not for the public.
  const hidden_news = { ...news, message: null, severity: null, affected: [], incident_id: null };
  return {
    statements: [
      insertSubscriberMessages(scope.db, {
        event_id: change.id,
        status_page_id,
        topic,
        ...affected,
        news,
        incident: incident && { ...incident, hidden_news },
        now,
      }),
    ],
    wake: () => wakeSubscribers(scope, [{ kind: "event", event_id: change.id, after: "" }]),
  };
}

/** Sends the messages that one queue message names, except those that are claimed or sent already. */
export async function sendSubscriberBatch(scope: Scope, message: SubscriberBatchMessage): Promise<void> {
  const due =
    message.kind === "messages"
      ? await listDueAmong(scope.db, message.message_ids, scope.now)
      : await listPage(scope, message);
  const clock = runFrom(scope.now);
  const attempt = ({ id }: DueMessage) => attemptMessage({ ...scope, now: clock() }, id);
  // First, because no receiver's server can delay it.
  const mails = due.filter(({ channel }) => channel === "email");
  const sealed = await mapConcurrently(mails, AT_ONCE, attempt);
  await dispatchMail(
    scope,
    sealed.filter((mail) => mail !== undefined),
  );
  const others = due.filter(({ channel }) => channel !== "email");
  await mapConcurrently(others, AT_ONCE, attempt);
}

/** The next hundred of an event. The rest is enqueued first, so that a slow receiver delays none of it. */
async function listPage(scope: Scope, { event_id, after }: Extract<SubscriberBatchMessage, { kind: "event" }>) {
  const limit = SUBSCRIBERS_PER_MESSAGE;
  const due = await listDueMessagesOfEvent(scope.db, { event_id, after, now: scope.now, limit });
  const last = due.at(-1);
  if (last && due.length === limit) await wakeSubscribers(scope, [{ kind: "event", event_id, after: last.id }]);
  return due;
}

/** Every minute: wakes due messages that no queue message woke, and deletes those past their retention. */
export async function sweepSubscribers(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listSubscriberMessagesToWake(scope.db, scope.now, limit);
    const messages: SubscriberBatchMessage[] = [];
    for (let from = 0; from < ids.length; from += SUBSCRIBERS_PER_MESSAGE) {
      messages.push({ kind: "messages", message_ids: ids.slice(from, from + SUBSCRIBERS_PER_MESSAGE) });
    }
    await wakeSubscribers(scope, messages);
    return ids.length;
  });
  await runBatch(scope.db, [
    deleteUnconfirmedBefore(scope.db, scope.now - UNCONFIRMED_KEPT_MS),
    deleteSubscriberMessagesBefore(scope.db, scope.now - KEPT_MS),
  ]);
}
