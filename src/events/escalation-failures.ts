import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { findFailedEscalation } from "../data/escalations/read.ts";
import { recordEscalationFailure } from "../data/escalations/write.ts";
import { insertMail } from "../data/mail/write.ts";
import { insertNotification } from "../data/notifications/write.ts";
import { sealAlertMail } from "../delivery/alert-mail.ts";
import { dispatchMail } from "../delivery/mail.ts";
import { OPEN_INCIDENT } from "../domain/alert-messages.ts";
import { composeUnreadableMessage } from "../domain/escalation-messages.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { isUnavailable, violates } from "../platform/d1-errors.ts";
import { idFrom } from "../platform/ids.ts";

/** Repeats with a growing pause last about a day; after them only a change of the incident makes the escalation advance. */
const FAILURES_MAX = 28;

/**
 * An escalation that cannot be read or decided: its owner is notified once, and it is repeated with a growing pause, so
 * that it costs the others nothing. A database that does not answer is no such failure: the queue repeats the message.
 */
export async function recordFailure(scope: Scope, escalationId: string, error: unknown): Promise<void> {
  if (isUnavailable(error) || violates(error, "guard_stale")) throw error;
  const { db, log, now } = scope;
  log.error("escalation cannot advance", error, { escalation_id: escalationId });
  const failed = await findFailedEscalation(db, escalationId);
  if (!failed) return;
  const failures = failed.failures + 1;
  const pauseMs = Math.min(HOUR_MS, MINUTE_MS * 2 ** (failures - 1));
  const notice = await buildNotice(scope, failed);
  await runBatch(db, [
    recordEscalationFailure(db, escalationId, { failures, due_at: failures < FAILURES_MAX ? now + pauseMs : null }),
    // Both are known by their ids: a further failure adds none.
    insertNotification(db, notice.notification),
    insertMail(db, notice.mail),
  ]);
  if (failures === 1) await dispatchMail(scope, [notice.mail]);
}

async function buildNotice(scope: Scope, failed: NonNullable<Awaited<ReturnType<typeof findFailedEscalation>>>) {
  const { settings, now } = scope;
  const id = idFrom("escalation failure", failed.id);
  const incident = `${settings.PUBLIC_URL}/app/incidents/${failed.incident_id}`;
  const hasLink = settings.PUBLIC_URL !== "" && failed.incident_id !== null;
  const message = composeUnreadableMessage(
    { ...failed, thread_id: failed.id },
    { page: failed.page, links: hasLink ? [{ label: OPEN_INCIDENT, url: incident }] : [] },
  );
  const mail = await sealAlertMail(scope, {
    id: idFrom("escalation mail", id),
    to: failed.owner_email,
    message,
    reason: `You own the status page ${failed.page.name}.`,
  });
  const notification = {
    id: idFrom("notification", id),
    user_id: failed.owner_id,
    type: "oncall.exhausted" as const,
    title: message.title,
    message: message.text,
    status_page_id: failed.status_page_id,
    target_id: failed.incident_id ?? failed.id,
    read_at: null,
    created_at: now,
    updated_at: now,
  };
  return { notification, mail };
}
