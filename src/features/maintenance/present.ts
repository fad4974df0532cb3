import type { Maintenance, MaintenanceUpdate } from "../../contract/maintenance.ts";
import type { MaintenanceDetail } from "../../data/maintenance/list.ts";
import type { MaintenanceUpdateRecord } from "../../data/maintenance/read.ts";
import { findOccurrence, maintenanceStatus } from "../../domain/maintenance.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentMaintenance(window: MaintenanceDetail, now: number): Maintenance {
  const occurrence = findOccurrence(window, window.timezone, now);
  return {
    id: window.id,
    status_page_id: window.status_page_id,
    title: window.title,
    description: window.description,
    start_time: toIso(window.start_time),
    end_time: toIso(window.end_time),
    is_public: window.is_public,
    targets: window.targets,
    covers_page: window.covers_page,
    recurrence_type: window.recurrence_type,
    recurrence_interval: window.recurrence_interval,
    recurrence_end_date: toIsoOrNull(window.recurrence_end_date),
    recurrence_day_of_week: window.recurrence_day_of_week,
    recurrence_day_of_month: window.recurrence_day_of_month,
    external_key: window.external_key,
    status: maintenanceStatus(occurrence, now),
    next_occurrence: occurrence && { start: toIso(occurrence.start_at), end: toIso(occurrence.end_at) },
    cancelled_occurrences: window.cancelled_starts.filter((start) => start >= now).map(toIso),
    updates: window.updates.map(presentUpdate),
    created_by: window.created_by,
    created_at: toIso(window.created_at),
    updated_at: toIso(window.updated_at),
  };
}

export function presentUpdate(update: MaintenanceUpdateRecord): MaintenanceUpdate {
  return {
    id: update.id,
    maintenance_id: update.maintenance_id,
    status: update.status,
    message: update.message,
    created_by: update.created_by,
    created_at: toIso(update.created_at),
    updated_at: toIso(update.updated_at),
  };
}
