import type { Scope } from "../access/scope.ts";
import type { QueueMarker, QueueName } from "../contract/queues.ts";
import { runBatch } from "../data/db.ts";
import { countDeadLetters, recordMarker } from "../data/queue-health/write.ts";
import { MARKER_EVERY_MS } from "../domain/free-plan.ts";

interface Sender {
  sendBatch(messages: Iterable<{ body: QueueMarker }>): Promise<unknown>;
}

/** Sends a marker through every queue. One that refuses it costs no other queue its marker. */
export async function sendMarkers({ env, log, now, settings }: Scope, minuteAt: number): Promise<void> {
  const every = MARKER_EVERY_MS[settings.PLAN];
  if (every > 0 && minuteAt % every !== 0) return;
  const senders: Record<QueueName, Sender> = {
    checks: env.CHECKS,
    "checks-slow": env.CHECKS_SLOW,
    events: env.EVENTS,
    deliveries: env.DELIVERIES,
    "deliveries-slow": env.DELIVERIES_SLOW,
    subscribers: env.SUBSCRIBERS,
    mail: env.MAIL_OUTBOX,
    minute: env.MINUTE,
  };
  const send = async ([queue, sender]: [string, Sender]) => {
    try {
      await sender.sendBatch([{ body: { marker_sent_at: now } }]);
    } catch (error) {
      log.error("marker not sent", error, { queue });
    }
  };
  await Promise.all(Object.entries(senders).map(send));
}

export async function receiveMarker({ db }: Scope, queue: QueueName, { marker_sent_at }: QueueMarker): Promise<void> {
  await runBatch(db, [recordMarker(db, queue, marker_sent_at)]);
}

export async function recordDeadLetters({ db, now }: Scope, queue: QueueName, count: number): Promise<void> {
  await runBatch(db, [countDeadLetters(db, queue, { count, now })]);
}
