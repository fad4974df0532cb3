import type { PagePayload, PublicMonitor, PublicOccurrence } from "../contract/public-page.ts";
import { computeShownUptime, type StatusDurations, sumStatusDurations } from "../domain/uptime.ts";
import type { DrawnMetrics } from "../features/metric-widgets/service.ts";
import { talliesUntil } from "./extend-to-now.ts";
import { createFormats, type Moment } from "./format.ts";
import { buildFrame, type FrameView, type RenderContext } from "./frame-view.ts";
import { buildPastIncidents, type PastIncidentView } from "./incident-view.ts";
import type { LatencyChart } from "./latency-chart.ts";
import { monitorsInMaintenance } from "./maintenance.ts";
import { buildMetricsView, type MetricsView } from "./metrics-view.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";

export const SERVICE_PERIODS = ["24h", "7d", "30d", "90d"] as const;
export type ServicePeriod = (typeof SERVICE_PERIODS)[number];
const DAYS: Record<Exclude<ServicePeriod, "24h">, number> = { "7d": 7, "30d": 30, "90d": 90 };

export interface ServicePageView {
  frame: FrameView;
  monitor: PublicMonitorView;
  uptimes: { label: string; value: string }[];
  /** Null where the page shows no response times. */
  latency: { chart: ChartView | null } | null;
  /** Of the charts; empty where there are none. */
  periods: { label: string; href: string; is_current: boolean }[];
  metrics: MetricsView | null;
  outages: { started: Moment; duration: string; is_open: boolean; is_planned: boolean }[];
  incidents: PastIncidentView[];
  canonical: string;
}

export interface ChartView extends Omit<LatencyChart, "top_ms"> {
  label: string;
  /** The value at the upper edge. */
  top: string;
  from: Moment;
  to: Moment;
}

export interface ServiceFacts {
  last_day: StatusDurations;
  outages: readonly { started_at: number; ended_at: number | null; in_maintenance: boolean }[];
  /** What the chart shows; null where the page shows none. */
  latency: { from: number; chart: LatencyChart | null } | null;
  /** Maintenance of a game server that began: how its restarts are planned. */
  restarts: readonly PublicOccurrence[];
  /** Null for services whose metrics are not drawn. */
  metrics: DrawnMetrics | null;
}

export function buildServiceView(
  monitor: PublicMonitor,
  payload: PagePayload,
  { viewing, facts, period }: { viewing: RenderContext; facts: ServiceFacts; period: ServicePeriod },
): ServicePageView {
  const { texts, address, as_of } = viewing;
  const formats = createFormats(payload.page.timezone, texts);
  const path = `/services/${monitor.id}`;
  const plain = buildMonitorView(monitor, payload, as_of, { texts, formats });
  const shown = monitorsInMaintenance(payload, as_of).has(monitor.id) ? duringMaintenance(plain, texts) : plain;
  const tallies = talliesUntil(monitor, payload, as_of);
  const format = (durations: StatusDurations) => {
    const percentage = computeShownUptime(durations);
    return percentage === null ? texts.monitor.no_data : formats.percentage(percentage);
  };
  const uptimeOf = (period: ServicePeriod) =>
    period === "24h" ? facts.last_day : sumStatusDurations(tallies.slice(-DAYS[period]));
  const { latency, metrics } = facts;
  const period_label = texts.service.periods[period];
  const outages = facts.outages.filter((outage) => !isRestart(outage, facts.restarts, as_of));
  return {
    frame: buildFrame(payload, viewing, formats),
    monitor: shown,
    uptimes: SERVICE_PERIODS.map((period) => ({
      label: texts.service.periods[period],
      value: format(uptimeOf(period)),
    })),
    latency: latency && {
      chart: latency.chart && {
        median: latency.chart.median,
        band: latency.chart.band,
        top: `${formats.number(latency.chart.top_ms)} ms`,
        label: texts.service.chart({ name: monitor.name, period: period_label }),
        from: formats.moment(latency.from),
        to: formats.moment(as_of),
      },
    },
    periods:
      latency || metrics
        ? SERVICE_PERIODS.map((each) => ({
            label: texts.service.periods[each],
            href: `${address.base}${path}?period=${each}`,
            is_current: each === period,
          }))
        : [],
    metrics:
      metrics &&
      buildMetricsView({ picture: metrics, monitor: shown, period: period_label, now: as_of }, payload, {
        texts,
        formats,
      }),
    outages: outages.map(({ started_at, ended_at, in_maintenance }) => ({
      started: formats.moment(started_at),
      duration: formats.duration((ended_at ?? as_of) - started_at),
      is_open: ended_at === null,
      is_planned: in_maintenance,
    })),
    incidents: buildPastIncidents(
      payload.incidents.filter(({ monitor_ids }) => monitor_ids.includes(monitor.id)),
      payload,
      viewing,
    ),
    canonical: address.url + path,
  };
}

/** A planned restart is no outage, unless the server was not back when it was over. */
function isRestart(
  { started_at, ended_at }: ServiceFacts["outages"][number],
  restarts: readonly PublicOccurrence[],
  now: number,
): boolean {
  return restarts.some(({ start_at, end_at }) => start_at <= started_at && (ended_at ?? now) <= end_at);
}
