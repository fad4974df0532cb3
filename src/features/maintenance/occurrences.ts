import { findIdempotentResult } from "../../access/idempotency.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import type { MaintenanceDetail } from "../../data/maintenance/list.ts";
import { recordOccurrences, updateMaintenance } from "../../data/maintenance/write.ts";
import {
  announcedStart,
  findOccurrence,
  listOccurrences,
  maintenanceStatus,
  trackBoundary,
} from "../../domain/maintenance.ts";
import { boundaryEvent } from "../../events/emit.ts";
import { getFresh, getMaintenance, write } from "./service.ts";
import { buildCancellationMessages } from "./subscriber-messages.ts";

const CANCELLED_MAX = 100;

/** Ends the occurrence in progress now; of a recurring window the next one comes as planned. */
export async function completeMaintenance(ctx: RequestScope, maintenanceId: string): Promise<MaintenanceDetail> {
  const window = await getMaintenance(ctx, maintenanceId);
  if ((await findIdempotentResult(ctx)) !== undefined) return window;
  const end = endNow(ctx, window);
  if (!end) throw conflict("the maintenance window is not in progress");
  await write(ctx, window, { verb: "completed", ...end });
  return getFresh(ctx, window.id);
}

/** What ends the occurrence in progress before its time; undefined when none is. */
export function endNow(ctx: RequestScope, window: MaintenanceDetail) {
  const { timezone } = window;
  const occurrence = findOccurrence(window, timezone, ctx.now);
  if (!occurrence || maintenanceStatus(occurrence, ctx.now) !== "in_progress") return undefined;
  const { start_at } = occurrence;
  const ended = { start_at, end_at: ctx.now };
  const done_until = start_at + 1;
  const next = trackBoundary(findOccurrence({ ...window, done_until }, timezone, ctx.now), null);
  const names = ["maintenance.started", "maintenance.completed"] as const;
  return {
    statements: [
      updateMaintenance(ctx.db, window.id, { ...next, done_until, updated_at: ctx.now }),
      ...recordOccurrences(ctx.db, [{ maintenance_id: window.id, ...ended }]),
    ],
    // The event of its start may not have been sent yet.
    events: names
      .slice(announcedStart(window) === start_at ? 1 : 0)
      .map((name) => boundaryEvent(window, { name, occurrence: ended })),
    isGuarded: true,
  };
}

/** What begins the next occurrence before its time; undefined for a recurring window, which keeps its rule. */
export function startNow(ctx: RequestScope, window: MaintenanceDetail) {
  const occurrence = findOccurrence(window, window.timezone, ctx.now);
  if (!occurrence || occurrence.start_at <= ctx.now || window.recurrence_type !== "none") return undefined;
  const begun = { start_at: ctx.now, end_at: occurrence.end_at };
  const change = { start_time: ctx.now, ...trackBoundary(begun, ctx.now), updated_at: ctx.now };
  return {
    statements: [
      updateMaintenance(ctx.db, window.id, change),
      ...recordOccurrences(ctx.db, [{ maintenance_id: window.id, ...begun }]),
    ],
    events: [boundaryEvent(window, { name: "maintenance.started", occurrence: begun })],
    isGuarded: true,
  };
}

/** Takes one occurrence to come out of the row. */
export async function cancelOccurrence(
  ctx: RequestScope,
  maintenanceId: string,
  start: number,
): Promise<MaintenanceDetail> {
  const window = await getMaintenance(ctx, maintenanceId);
  if (window.cancelled_starts.includes(start) || (await findIdempotentResult(ctx)) !== undefined) return window;
  const range = { from: Math.max(start, ctx.now), to: start + 1, max: 1 };
  const [occurrence] = listOccurrences(window, window.timezone, range);
  if (occurrence?.start_at !== start) throw notFound("occurrence");
  if (start <= ctx.now) throw conflict("the occurrence is in progress; it can be completed");
  const cancelled_starts = [...window.cancelled_starts.filter((each) => each >= ctx.now), start];
  if (cancelled_starts.length > CANCELLED_MAX)
    throw invalid(`at most ${CANCELLED_MAX} occurrences to come can be cancelled`);
  const next = findOccurrence({ ...window, cancelled_starts }, window.timezone, ctx.now);
  const change = { cancelled_starts, ...trackBoundary(next, announcedStart(window)), updated_at: ctx.now };
  await write(ctx, window, {
    verb: "cancelled an occurrence of",
    statements: [updateMaintenance(ctx.db, window.id, change)],
    notices: buildCancellationMessages(ctx, window, occurrence),
    isGuarded: true,
  });
  return getFresh(ctx, window.id);
}
