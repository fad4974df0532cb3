import type { PagePayload, PublicMonitor } from "../contract/public-page.ts";
import { computeUptimePercentage, type StatusDurations, sumStatusDurations } from "../domain/uptime.ts";
import { talliesUntil } from "./extend-to-now.ts";
import { createFormats, type Moment } from "./format.ts";
import { buildFrame, type FrameView, type RenderContext } from "./frame-view.ts";
import { buildPastIncidents, type PastIncidentView } from "./incident-view.ts";
import type { LatencyChart } from "./latency-chart.ts";
import { monitorsInMaintenance } from "./maintenance.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";

export const SERVICE_PERIODS = ["24h", "7d", "30d", "90d"] as const;
export type ServicePeriod = (typeof SERVICE_PERIODS)[number];
const DAYS: Record<Exclude<ServicePeriod, "24h">, number> = { "7d": 7, "30d": 30, "90d": 90 };

export interface ServicePageView {
  frame: FrameView;
  monitor: PublicMonitorView;
  uptimes: { label: string; value: string }[];
  /** Null where the page shows no response times. */
  latency: { periods: { label: string; href: string; is_current: boolean }[]; chart: ChartView | null } | null;
  outages: { started: Moment; duration: string; is_open: boolean; is_planned: boolean }[];
  incidents: PastIncidentView[];
  canonical: string;
}

export interface ChartView extends LatencyChart {
  label: string;
  from: Moment;
  to: Moment;
}

export interface ServiceFacts {
  last_day: StatusDurations;
  outages: readonly { started_at: number; ended_at: number | null; in_maintenance: boolean }[];
  /** What the chart shows; null where the page shows none. */
  latency: { period: ServicePeriod; from: number; chart: LatencyChart | null } | null;
}

export function buildServiceView(
  monitor: PublicMonitor,
  payload: PagePayload,
  { viewing, facts }: { viewing: RenderContext; facts: ServiceFacts },
): ServicePageView {
  const { texts, address, as_of } = viewing;
  const formats = createFormats(payload.page.timezone, texts);
  const path = `/services/${monitor.id}`;
  const shown = buildMonitorView(monitor, payload, as_of, { texts, formats });
  const tallies = talliesUntil(monitor, payload, as_of);
  const format = (durations: StatusDurations) => {
    const percentage = computeUptimePercentage(durations);
    return percentage === null ? texts.monitor.no_data : formats.percentage(percentage);
  };
  const uptimeOf = (period: ServicePeriod) =>
    period === "24h" ? facts.last_day : sumStatusDurations(tallies.slice(-DAYS[period]));
  const { latency } = facts;
  return {
    frame: buildFrame(payload, viewing, formats),
    monitor: monitorsInMaintenance(payload, as_of).has(monitor.id) ? duringMaintenance(shown, texts) : shown,
    uptimes: SERVICE_PERIODS.map((period) => ({
      label: texts.service.periods[period],
      value: format(uptimeOf(period)),
    })),
    latency: latency && {
      periods: SERVICE_PERIODS.map((period) => ({
        label: texts.service.periods[period],
        href: `${address.base}${path}?period=${period}`,
        is_current: period === latency.period,
      })),
      chart: latency.chart && {
        ...latency.chart,
        label: texts.service.chart(monitor.name, texts.service.periods[latency.period]),
        from: formats.moment(latency.from),
        to: formats.moment(as_of),
      },
    },
    outages: facts.outages.map(({ started_at, ended_at, in_maintenance }) => ({
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
