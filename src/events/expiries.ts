import type { Scope } from "../access/scope.ts";
import { EVENTS, type EventOf } from "../contract/events.ts";
import { runBatch } from "../data/db.ts";
import { listDueExpiries, listDueExpiriesAmong, scheduleExpiryNotice } from "../data/monitors/expiries.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { type ExpiryNotice, isSaidByStatus, planNotice } from "../domain/expiry-notices.ts";
import { formatMoment } from "../lib/date-format.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { publish } from "./emit.ts";

/** Certificates and domains that are about to expire: an event at each mark, sent once for each expiry. */
const MONITORS_PER_MINUTE = 10_000;
/** A monitor takes three statements. */
const MONITORS_PER_MESSAGE = 200;

type ExpiryEvent = EventOf<"monitor.certificate_expiring"> | EventOf<"monitor.domain_expiring">;

/** Every minute: notifies of what has passed a mark. */
export async function sweepExpiries(scope: Scope): Promise<void> {
  const items = await listDueExpiries(scope.db, scope.now, MONITORS_PER_MINUTE);
  await processInPortions(scope, { part: "expiries", items, per_message: MONITORS_PER_MESSAGE }, notifyExpiries);
}

export async function notifyExpiries(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  const { db, now } = scope;
  for (const monitor of await listDueExpiriesAmong(db, now, monitorIds)) {
    try {
      const { events, next_at } = planMonitor(monitor, now);
      const publication = publish(scope, events);
      await runBatch(db, [...publication.statements, scheduleExpiryNotice(db, monitor, next_at)]);
      await publication.wake();
    } catch (error) {
      scope.log.error("expiry notice failed", error, { monitor_id: monitor.id });
    }
  }
}

/** A paused monitor passes its marks silently; for a muted one they wait. */
function planMonitor(monitor: MonitorRecord, now: number): { events: ExpiryEvent[]; next_at: number | null } {
  const { certificate_expires_at, domain_expires_at } = monitor;
  if (monitor.muted_until !== null && monitor.muted_until > now) return { events: [], next_at: monitor.muted_until };
  const found = [
    { name: "monitor.certificate_expiring", expires_at: certificate_expires_at },
    { name: "monitor.domain_expiring", expires_at: domain_expires_at },
  ] as const;
  const events: ExpiryEvent[] = [];
  const next: number[] = [];
  for (const { name, expires_at } of found) {
    if (expires_at === null) continue;
    const { notice, next_at } = planNotice(expires_at, now);
    if (notice && !monitor.paused) events.push(expiryEvent(monitor, { name, expires_at, notice, now }));
    if (next_at !== null) next.push(next_at);
  }
  return { events, next_at: next.length === 0 ? null : Math.min(...next) };
}

interface Expiry {
  name: ExpiryEvent["name"];
  expires_at: number;
  notice: ExpiryNotice;
  now: number;
}

function expiryEvent(monitor: MonitorRecord, { name, expires_at, notice, now }: Expiry): ExpiryEvent {
  const isCertificate = name === "monitor.certificate_expiring";
  const subject = isCertificate ? "the certificate" : "the domain";
  const { days_left } = notice;
  const isSaid = isSaidByStatus(monitor, { of: isCertificate ? "ssl" : "domain", days_left }, now);
  return {
    id: idFrom("event", monitor.id, name, String(expires_at), String(notice.mark)),
    owner_id: monitor.owner_id,
    status_page_id: monitor.status_page_id,
    monitor_id: monitor.id,
    name,
    classification: monitor.parent_monitor_id === null ? EVENTS[name].classification : "team_only",
    data: {
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      message: `${subject} expires on ${formatMoment(expires_at, "UTC")}`,
      expires_at: toIso(expires_at),
      days_left,
      ...(isSaid ? { is_said_by_status: true } : {}),
    },
    created_at: now,
  };
}
