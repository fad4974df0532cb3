import type { z } from "zod";
import { MONITOR_STATUSES, type MonitorStatus } from "../../contract/monitor-values.ts";
import type { Overview } from "../../contract/overview.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { OverviewFound } from "./service.ts";

export function presentOverview(found: OverviewFound): z.infer<typeof Overview> {
  const { statuses, worst, open, counts, service } = found;
  const countOf = new Map(statuses.map(({ status, count }) => [status, count]));
  const by_status = Object.fromEntries(MONITOR_STATUSES.map((status) => [status, countOf.get(status) ?? 0]));
  return {
    monitors: {
      total: statuses.reduce((sum, { count }) => sum + count, 0),
      // Made from the whole list above.
      by_status: by_status as Record<MonitorStatus, number>,
    },
    status_pages: { owned: counts.owned_pages, shared: counts.shared_pages },
    incidents: { open: counts.open_incidents },
    open_incidents: open.map((incident) => ({
      id: incident.id,
      status_page_id: incident.status_page_id,
      title: incident.title,
      severity: incident.severity,
      status: incident.status,
      started_at: toIso(incident.started_at),
    })),
    worst_monitors: worst.map((monitor) => ({
      id: monitor.id,
      status_page_id: monitor.status_page_id,
      name: monitor.name,
      type: monitor.type,
      status: monitor.status,
      status_since: toIso(monitor.status_since),
      last_message: monitor.status_message,
    })),
    checks_delayed_since: toIsoOrNull(found.checks_delayed_since),
    unread_notifications: counts.unread,
    service: service && {
      late_queues: service.late_queues,
      dead_letters: service.dead_letters,
      last_dead_letter_at: toIsoOrNull(service.last_dead_letter_at),
      database_bytes: service.database_bytes,
      database_used_percent: service.percent,
      is_database_nearly_full: service.is_nearly_full,
      settings: service.settings,
      alarms: service.alarms.map(({ name, message, raised_at }) => ({ name, message, raised_at: toIso(raised_at) })),
      root_keys: service.root_keys,
    },
  };
}
