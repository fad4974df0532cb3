import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import { runBatch } from "../data/db.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { insertNewEvents } from "../data/events/write.ts";
import { type DueReminder, hasReminding, listAnnounced, listDueReminders } from "../data/reminders/read.ts";
import { recordReminders } from "../data/reminders/write.ts";
import { listAlertRouting } from "../data/status-pages/read.ts";
import { BUNDLED_FROM_MONITORS } from "../domain/alert-bundling.ts";
import { isAlertSuppressed } from "../domain/alert-routing.ts";
import { evidencePath } from "../domain/observed.ts";
import { secondsBetween } from "../lib/duration-format.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { deliveriesOf } from "./fan-out.ts";
import { wakeDeliveries } from "./wake.ts";

/**
 * Reminders of outages that go on. A webhook with `remind_every_minutes` that was sent the alert of an outage gets one at
 * each interval after it. Event and delivery derive from the outage and the instant, so that a repeat sends nothing twice.
 */

const REMINDERS_PER_PAGE = 500;
const PAGES_MAX = 10;

/** Every minute. */
export async function sweepReminders(scope: Scope): Promise<void> {
  if (!(await hasReminding(scope.db))) return;
  for (let page = 0; page < PAGES_MAX; page++) {
    const due = await listDueReminders(scope.db, scope.now, REMINDERS_PER_PAGE);
    if (due.length > 0) await remind(scope, due);
    if (due.length < REMINDERS_PER_PAGE) return;
  }
}

/** What was looked at is recorded as well where nothing is sent, so that it is not looked at again before the next interval. */
async function remind(scope: Scope, due: readonly DueReminder[]): Promise<void> {
  const { db, now } = scope;
  const sent = await listSendable(scope, due);
  const events = new Map(sent.map((reminder) => [eventIdOf(reminder), toEvent(scope, reminder)]));
  const byWebhook = Map.groupBy(sent, ({ webhook_id }) => webhook_id);
  const deliveries = [...byWebhook.values()].flatMap((own) => toDeliveries(own, now));
  const records = due.map(({ webhook_id, monitor, seq, due_at }) => {
    return { webhook_id, monitor_id: monitor.id, outage_seq: seq, due_at };
  });
  await runBatch(db, [
    recordReminders(db, records),
    ...(sent.length === 0 ? [] : [insertNewEvents(db, [...events.values()]), insertDeliveries(db, deliveries)]),
  ]);
  const waking = deliveries.filter(({ state }) => state === "pending").map(({ id }) => id);
  await wakeDeliveries(scope, waking);
}

/** Those whose webhook was sent the alert itself at least one interval ago, and whose alerts no rule withholds. */
async function listSendable({ db, now }: Scope, due: readonly DueReminder[]): Promise<DueReminder[]> {
  const pageIds = new Set(due.map(({ monitor }) => monitor.status_page_id).filter((id) => id !== null));
  const [announced, pages] = await Promise.all([
    listAnnounced(db, due.map(alertIdOf)),
    listAlertRouting(db, [...pageIds]),
  ]);
  const suppressions = new Map(pages.map(({ id, alert_suppressions }) => [id, alert_suppressions]));
  return due.filter((reminder) => {
    const { monitor, every_minutes } = reminder;
    const announcedAt = announced.get(alertIdOf(reminder));
    const event = { name: "monitor.reminder", monitor_id: monitor.id };
    const isWithheld = isAlertSuppressed(event, suppressions.get(monitor.status_page_id ?? ""), now);
    return announcedAt !== undefined && now - announcedAt >= every_minutes * MINUTE_MS && !isWithheld;
  });
}

/** Of the webhook's delivery of the outage's monitor.down. */
function alertIdOf({ monitor, seq, webhook_id }: DueReminder): string {
  return idFrom("delivery", idFrom("event", monitor.id, String(seq)), webhook_id);
}

/** Webhooks whose intervals meet share an event. */
function eventIdOf({ monitor, seq, due_at }: DueReminder): string {
  return idFrom("event", monitor.id, String(seq), "reminder", String(due_at));
}

function toEvent(
  { now, settings: { PUBLIC_URL } }: Scope,
  reminder: DueReminder,
): EventOf<"monitor.reminder"> & { processed_at: number } {
  const { monitor, seq, started_at, cause, region, incident_id } = reminder;
  const hasEvidence = PUBLIC_URL !== "" && region !== null;
  return {
    id: eventIdOf(reminder),
    owner_id: monitor.owner_id,
    status_page_id: monitor.status_page_id,
    monitor_id: monitor.id,
    name: "monitor.reminder",
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: {
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      status: "down",
      is_reminder: true,
      message: cause,
      since: toIso(started_at),
      duration_seconds: secondsBetween(started_at, now),
      outage_id: `${monitor.id}/${seq}`,
      incident_id,
      evidence_url: hasEvidence ? `${PUBLIC_URL}${evidencePath(monitor.id, started_at)}` : null,
    },
    created_at: now,
    // Nothing but these deliveries follows from it.
    processed_at: now,
  };
}

/** Of one webhook. A chat gets one message about many outages. */
function toDeliveries(reminders: readonly DueReminder[], now: number): DeliveryRecord[] {
  const [first] = reminders;
  const records = reminders.flatMap((reminder) => {
    const receiver = { webhook: { id: reminder.webhook_id }, event_name: "monitor.reminder" };
    return deliveriesOf({ id: eventIdOf(reminder) }, [receiver], { now });
  });
  const [carrier, ...others] = records;
  const isBundled = first !== undefined && notifierOf(first.provider).isBundled;
  if (!carrier || !isBundled || records.length < BUNDLED_FROM_MONITORS) return records;
  return [
    { ...carrier, bundle_size: records.length },
    ...others.map((other) => {
      return { ...other, state: "bundled" as const, bundled_into: carrier.id, next_attempt_at: null };
    }),
  ];
}
