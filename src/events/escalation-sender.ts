import type { Scope } from "../access/scope.ts";
import type { NewEvent } from "../contract/events.ts";
import { runBatch } from "../data/db.ts";
import {
  type EscalationNotificationRecord,
  type LoadedEscalation,
  listNotificationsToWake,
  loadEscalation,
} from "../data/escalations/read.ts";
import {
  claimEscalationNotification,
  settleEscalationNotification,
  touchEscalationById,
} from "../data/escalations/write.ts";
import { listEvents } from "../data/events/read.ts";
import { attemptContact } from "../delivery/contact-attempt.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { sweepPages } from "../outbox/publication.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import { idFrom } from "../platform/ids.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { incidentEvent } from "./emit.ts";
import { withSubject } from "./subject.ts";

/** Sockets that one invocation may have open. */
const AT_ONCE = 6;
/** Each takes up to eleven queries. */
const NOTIFICATIONS_PER_MESSAGE = 80;
const LEASE_MS = 30 * SECOND_MS;
/** After a failure the next step is notified at once; these repeats are for the case that it is reached later after all. */
const RETRIES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS];

/** Sends these notifications, as far as they are due and nobody else does. Returns whether the first attempt of one failed. */
export async function sendNotifications(scope: Scope, ids: readonly string[]): Promise<boolean> {
  const failures = await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      return await sendNotification(scope, id);
    } catch (error) {
      scope.log.error("on-call notification", error, { notification_id: id });
      return false;
    }
  });
  return failures.includes(true);
}

/** Every minute: attempts what no message woke, and what failed before. */
export async function sweepNotifications(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listNotificationsToWake(scope.db, scope.now, limit);
    const work = { part: "due on-call notifications", items: ids, per_message: NOTIFICATIONS_PER_MESSAGE } as const;
    await processInPortions(scope, work, sendDueNotifications);
    return ids.length;
  });
}

export async function sendDueNotifications(scope: Scope, ids: readonly string[]): Promise<void> {
  await sendNotifications(scope, ids);
}

async function sendNotification(scope: Scope, id: string): Promise<boolean> {
  const claimed = await claimEscalationNotification(scope.db, id, {
    now: scope.now,
    lease_until: scope.now + LEASE_MS,
  });
  if (!claimed) return false;
  const error = await attempt(scope, claimed);
  const delay = error === null ? undefined : RETRIES_MS[claimed.attempt - 1];
  const isFirstFailure = error !== null && claimed.attempt === 1;
  await runBatch(scope.db, [
    settleEscalationNotification(scope.db, claimed, {
      ...(delay === undefined
        ? { state: error === null ? ("sent" as const) : ("failed" as const), next_attempt_at: null }
        : { next_attempt_at: scope.now + delay }),
      error,
      updated_at: scope.now,
    }),
    // The escalation decides what follows from the failure, also when the message that wakes it is lost.
    ...(isFirstFailure ? [touchEscalationById(scope.db, claimed.escalation_id, scope.now)] : []),
  ]);
  return isFirstFailure;
}

/** Null when the contact accepted it. What cannot be read fails like what cannot be sent, and is not attempted for ever. */
async function attempt(scope: Scope, claimed: EscalationNotificationRecord): Promise<string | null> {
  try {
    const loaded = await loadEscalation(scope.db, claimed.escalation_id);
    const event = loaded && (await findEvent(scope, claimed.id, loaded));
    return event ? await attemptContact(scope, claimed, event) : "the event no longer exists";
  } catch (error) {
    if (isUnavailable(error)) throw error;
    scope.log.error("on-call notification", error, { notification_id: claimed.id });
    return "the escalation cannot be read";
  }
}

/** What a webhook contact receives: the incident as it stands now, or the critical event. */
async function findEvent(
  scope: Scope,
  notificationId: string,
  { incident, escalation }: LoadedEscalation,
): Promise<NewEvent | undefined> {
  if (!incident) return escalation.subject ? (await listEvents(scope.db, [escalation.subject.event_id]))[0] : undefined;
  const id = idFrom("event", notificationId);
  const change = { id, name: "incident.created" as const, message: incident.title };
  return withSubject(
    scope,
    incidentEvent(incident, { ...change, notify_subscribers: false, now: incident.created_at }),
  );
}
