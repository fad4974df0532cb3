import type { Scope } from "../access/scope.ts";
import { AUDIT_EVENT, EVENTS, type EventOf } from "../contract/events.ts";
import type { AuditRecord } from "../data/audit/read.ts";
import { listAuditStreams, readAuditStream, settleAuditStream } from "../data/audit/stream.ts";
import { runBatch } from "../data/db.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { insertNewEvents } from "../data/events/write.ts";
import { presentAuditEntry } from "../domain/audit-entry.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { deliveriesOf } from "./fan-out.ts";
import { wakeDeliveries } from "./wake.ts";

/** Of an account, in a minute. */
const ENTRIES_MAX = 200;
/** An account takes five queries, of which an invocation on the Workers Free plan has few. */
const ACCOUNTS_MAX = { paid: 100, free: 1 };
/** An entry bears the instant at which its request began, and is stored at the end of it. */
const LATE_MS = 5 * MINUTE_MS;

/**
 * Sends new entries of the audit log to the webhooks that list them, those of a page to its own. Each becomes one event, whose
 * id is that of the entry, so that a repeat sends nothing twice.
 */
export async function sweepAuditStreams(scope: Scope): Promise<void> {
  const accounts = await listAuditStreams(scope.db, ACCOUNTS_MAX[scope.settings.PLAN]);
  for (const ownerId of accounts) await streamAudit(scope, ownerId);
}

async function streamAudit(scope: Scope, ownerId: string): Promise<void> {
  const { db, now } = scope;
  const { receivers, entries } = await readAuditStream(db, ownerId, ENTRIES_MAX);
  const deliveries = entries.flatMap((entry) => {
    const hears = receivers.filter(
      ({ status_page_id, audit_from }) =>
        (status_page_id === null || status_page_id === entry.status_page_id) && entry.created_at >= (audit_from ?? now),
    );
    return deliveriesOf(
      entry,
      hears.map((webhook) => ({ webhook, event_name: AUDIT_EVENT })),
      { now },
    );
  });
  await runBatch(db, [
    insertNewEvents(
      db,
      entries.map((entry) => ({ ...toEvent(entry), processed_at: now })),
    ),
    insertDeliveries(db, deliveries),
    ...(entries.length < ENTRIES_MAX ? [settleAuditStream(db, ownerId, now - LATE_MS)] : []),
  ]);
  await wakeDeliveries(
    scope,
    deliveries.map(({ id }) => id),
  );
}

/** Addresses of visitors are for those who manage a team, whereas others may set up the webhooks of its page. */
function toEvent(entry: AuditRecord): EventOf<typeof AUDIT_EVENT> {
  return {
    id: entry.id,
    owner_id: entry.owner_id,
    status_page_id: entry.status_page_id,
    monitor_id: null,
    name: AUDIT_EVENT,
    classification: EVENTS[AUDIT_EVENT].classification,
    data: { ...presentAuditEntry(entry), ip: entry.status_page_id === null ? entry.ip : null },
    created_at: entry.created_at,
  };
}
