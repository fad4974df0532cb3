import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { formatPrometheus, type GaugeMetric } from "../../domain/prometheus-text.ts";
import { DAY_MS } from "../../lib/durations.ts";
import type { ScrapedMonitor } from "./service.ts";

/** 0 to 2 are what other monitors call them, too. */
const STATUS_VALUES: Record<MonitorStatus, number> = {
  down: 0,
  up: 1,
  pending: 2,
  degraded: 3,
  unknown: 4,
  paused: 5,
};
const STATUS_HELP = Object.entries(STATUS_VALUES)
  .map(([status, value]) => `${value} ${status}`)
  .join(", ");

/** A monitor has a sample of a metric only where its value is known. */
export function presentMetrics(monitors: readonly ScrapedMonitor[], now: number): string {
  const metric = (name: string, help: string, read: (monitor: ScrapedMonitor) => number | null): GaugeMetric => ({
    name,
    help,
    samples: monitors.flatMap((monitor) => {
      const value = read(monitor);
      return value === null ? [] : [{ labels: labelsOf(monitor), value }];
    }),
  });
  return formatPrometheus([
    metric("monitor_status", `Status of the monitor: ${STATUS_HELP}.`, ({ status }) => STATUS_VALUES[status]),
    metric("monitor_response_time", "Latency of the newest check in milliseconds.", ({ status, latency_ms }) =>
      status === "paused" || status === "down" ? null : latency_ms,
    ),
    metric(
      "monitor_uptime_ratio",
      "Share of the known time of the last 24 hours that was not down, 0 to 1.",
      ({ durations: { up, degraded, down } }) =>
        up + degraded + down === 0 ? null : (up + degraded) / (up + degraded + down),
    ),
    metric(
      "monitor_cert_days_remaining",
      "Whole days until the certificate expires; negative once it has.",
      ({ certificate_expires_at }) =>
        certificate_expires_at === null ? null : Math.floor((certificate_expires_at - now) / DAY_MS),
    ),
  ]);
}

function labelsOf({ id, name, type }: ScrapedMonitor) {
  return { monitor_id: id, monitor_name: name, monitor_type: type };
}
