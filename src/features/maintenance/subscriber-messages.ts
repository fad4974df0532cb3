import type { RequestScope } from "../../access/scope.ts";
import type { EventOf } from "../../contract/events.ts";
import type { MaintenanceStatus, MaintenanceTarget } from "../../contract/maintenance.ts";
import type { MaintenanceDetail } from "../../data/maintenance/list.ts";
import type { MaintenanceRecord, MaintenanceUpdateRecord } from "../../data/maintenance/read.ts";
import type { SubscriberNotice } from "../../delivery/subscriber-messages.ts";
import { announcedStart } from "../../domain/maintenance.ts";
import type { Occurrence } from "../../domain/recurrence.ts";
import { toIso } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";

/** Changes of a window that subscribers receive besides its start and end. Webhooks do not receive them. */
interface NoticeContent {
  name: SubscriberNotice["name"];
  status: MaintenanceStatus | "cancelled";
  occurrence: Occurrence | null;
  targets: readonly MaintenanceTarget[];
  /** Markdown; null where the event says all. */
  message: string | null;
}

function maintenanceNotice(ctx: RequestScope, window: MaintenanceRecord, content: NoticeContent): SubscriberNotice {
  const { name, status, occurrence, targets, message } = content;
  const idsOf = (type: MaintenanceTarget["target_type"]) =>
    targets.filter(({ target_type }) => target_type === type).map(({ target_id }) => target_id);
  return {
    id: newId(),
    name,
    status_page_id: window.status_page_id,
    data: {
      maintenance_id: window.id,
      title: window.title,
      message,
      is_public: window.is_public,
      status,
      start: occurrence && toIso(occurrence.start_at),
      end: occurrence && toIso(occurrence.end_at),
    },
    created_at: ctx.now,
    targets: { monitor_ids: idsOf("monitor"), group_ids: idsOf("group"), covers_page: window.covers_page },
  };
}

/** The occurrence that subscribers wait for or are in; null when there is none. */
export function trackedOccurrence(window: MaintenanceRecord): Occurrence | null {
  const { occurrence_start_at: start_at, occurrence_end_at: end_at } = window;
  return start_at === null || end_at === null ? null : { start_at, end_at };
}

interface Change {
  former: MaintenanceRecord | null;
  window: MaintenanceRecord;
  targets: readonly MaintenanceTarget[];
}

type WindowEvent = EventOf<"maintenance.started" | "maintenance.rescheduled" | "maintenance.completed">;

/** The event for webhooks alone, where subscribers receive another message instead. */
export function withoutSubscribers(event: WindowEvent): WindowEvent {
  return { ...event, data: { ...event.data, notify_subscribers: false } };
}

/** Compares a window before and after a change with what subscribers have received of it. */
export function buildScheduleMessages(ctx: RequestScope, { former, window, targets }: Change): SubscriberNotice[] {
  const before = former?.is_public ? trackedOccurrence(former) : null;
  const occurrence = trackedOccurrence(window);
  if (!occurrence || (before?.start_at === occurrence.start_at && before.end_at === occurrence.end_at)) return [];
  const hasBegun = occurrence.start_at <= ctx.now;
  // The start of one that has begun is announced once; only an end that was announced with it may still move.
  const isAnnounced = announcedStart(window) !== null && before?.start_at === occurrence.start_at;
  if (hasBegun && (!isAnnounced || occurrence.end_at <= ctx.now)) return [];
  const name = before ? "maintenance.rescheduled" : "maintenance.scheduled";
  const [status, message] = hasBegun ? (["in_progress", null] as const) : (["scheduled", window.description] as const);
  return [maintenanceNotice(ctx, window, { name, status, occurrence, targets, message })];
}

/** An occurrence that does not take place, or not to its end. */
export function buildCancellationMessages(
  ctx: RequestScope,
  window: MaintenanceDetail,
  occurrence: Occurrence | null,
): SubscriberNotice[] {
  if (!occurrence || occurrence.end_at <= ctx.now) return [];
  const { targets } = window;
  const name = "maintenance.cancelled";
  return [maintenanceNotice(ctx, window, { name, status: "cancelled", occurrence, targets, message: null })];
}

interface Update {
  update: MaintenanceUpdateRecord;
  occurrence: Occurrence | null;
  isEnd: boolean;
}

export function buildUpdateMessages(
  ctx: RequestScope,
  window: MaintenanceDetail,
  { update, occurrence, isEnd }: Update,
): SubscriberNotice[] {
  const name = isEnd ? "maintenance.completed" : "maintenance.updated";
  const { message, status } = update;
  const span = occurrence && isEnd ? { ...occurrence, end_at: ctx.now } : occurrence;
  return [maintenanceNotice(ctx, window, { name, status, occurrence: span, targets: window.targets, message })];
}
