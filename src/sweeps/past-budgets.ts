import { capOf } from "../access/plan-caps.ts";
import type { Scope } from "../access/scope.ts";
import type { PlanCap } from "../contract/limiter-object.ts";
import { listOldestAudit, measureAudit, type OldAuditEntry } from "../data/audit/read.ts";
import { insertSystemAudit } from "../data/audit/write.ts";
import { runBatch } from "../data/db.ts";
import { listOldestTextEvents, measureTextEvents } from "../data/events/read.ts";
import { deleteAuditEntries, deleteEvents } from "../data/retention/write.ts";
import { listPastSizes } from "../data/stored-texts/read.ts";
import { addPastBytes } from "../data/stored-texts/write.ts";
import { auditEntryBytes } from "../domain/write-budget.ts";
import { HOUR_MS } from "../lib/durations.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { advanceSweep } from "./resumable-sweep.ts";

/**
 * Keeps what accounts cannot delete themselves within the bytes of their plans: of the audit log, an entry that counts them
 * takes the place of the oldest ones; of events that carry texts of people, the oldest go. What an account writes is counted
 * as it is written; only an account above a cap is measured.
 */
const VISITED_MAX = 500;
const REMOVED_MAX = 5_000;
/** What is left afterwards, so that the next few entries are not removed one by one. */
const LEFT_SHARE = 0.9;

interface Counted {
  owner_id: string;
  /** Without what was deleted since. */
  bytes: number;
  max: number;
}

export async function sweepPastBudgets(scope: Scope): Promise<void> {
  const { db, settings } = scope;
  await advanceSweep(scope, {
    name: "past within budgets",
    every_ms: HOUR_MS,
    visit: async (after) => {
      const owners = await listPastSizes(db, after, VISITED_MAX);
      let through = after;
      for (const { owner_id, audit_bytes, event_bytes, plan } of owners) {
        const maxOf = (cap: PlanCap) => capOf(settings, cap, plan ?? settings.DEFAULT_PLAN) ?? Number.POSITIVE_INFINITY;
        const audit = { owner_id, bytes: audit_bytes, max: maxOf("audit_bytes") };
        const events = { owner_id, bytes: event_bytes, max: maxOf("stored_text") };
        const isWithin = (await summarizeOldestAudit(scope, audit)) && (await removeOldestEvents(scope, events));
        // The next tick continues with this owner.
        if (!isWithin) return through;
        through = owner_id;
      }
      return owners.length < VISITED_MAX ? null : through;
    },
  });
}

/** Whether the log is within its budget afterwards. */
async function summarizeOldestAudit({ db }: Scope, { owner_id, bytes, max }: Counted): Promise<boolean> {
  if (bytes <= max) return true;
  const measured = await measureAudit(db, owner_id);
  const excess = measured > max ? measured - max * LEFT_SHARE : 0;
  const oldest = excess > 0 ? upTo(excess, await listOldestAudit(db, owner_id, REMOVED_MAX)) : [];
  const summary = summaryOf(owner_id, oldest);
  const freed = sizeOf(oldest) - (summary ? auditEntryBytes(summary) : 0);
  await runBatch(db, [
    deleteAuditEntries(
      db,
      oldest.map(({ id }) => id),
    ),
    ...(summary ? [insertSystemAudit(db, summary)] : []),
    addPastBytes(db, owner_id, "audit_bytes", measured - freed - bytes),
  ]);
  return measured - freed <= max;
}

/** The same of events; those that wait for their consumer stay. */
async function removeOldestEvents({ db, log }: Scope, { owner_id, bytes, max }: Counted): Promise<boolean> {
  if (bytes <= max) return true;
  const measured = await measureTextEvents(db, owner_id);
  const excess = measured > max ? measured - max * LEFT_SHARE : 0;
  const oldest = excess > 0 ? upTo(excess, await listOldestTextEvents(db, owner_id, REMOVED_MAX)) : [];
  const freed = sizeOf(oldest);
  await runBatch(db, [
    deleteEvents(
      db,
      oldest.map(({ id }) => id),
    ),
    addPastBytes(db, owner_id, "event_bytes", measured - freed - bytes),
  ]);
  if (oldest.length > 0) log.info("events above the budget removed", { owner_id, count: oldest.length });
  return oldest.length < REMOVED_MAX;
}

const sizeOf = (rows: readonly { bytes: number }[]) => rows.reduce((sum, row) => sum + row.bytes, 0);

/** The first rows that have so many bytes together. */
function upTo<Row extends { bytes: number }>(bytes: number, rows: readonly Row[]): Row[] {
  let sum = 0;
  const end = rows.findIndex((row) => {
    sum += row.bytes;
    return sum >= bytes;
  });
  return end === -1 ? [...rows] : rows.slice(0, end + 1);
}

function summaryOf(owner_id: string, removed: readonly OldAuditEntry[]) {
  const [first] = removed;
  const last = removed.at(-1);
  if (!first || !last) return null;
  const entries = removed.reduce((sum, entry) => sum + entry.entries, 0);
  return {
    id: idFrom("audit", owner_id, "audit.summarized", last.id),
    owner_id,
    event_type: "audit.summarized",
    monitor_id: null,
    status_page_id: null,
    target_type: "account",
    target_id: owner_id,
    summary: `removed the ${entries} oldest entries, because the audit log has the size that the plan includes`,
    data: { entries, from: toIso(first.from_at), to: toIso(last.created_at) },
    created_at: last.created_at,
  };
}
