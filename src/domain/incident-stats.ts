import type { IncidentSeverity } from "../contract/monitor-values.ts";
import { dateIn } from "../lib/zoned-days.ts";

export interface IncidentTimes {
  severity: IncidentSeverity;
  started_at: number;
  acknowledged_at: number | null;
  resolved_at: number | null;
}

export interface IncidentFigures {
  total: number;
  open: number;
  /** Mean times to acknowledge and to resolve; null without any. */
  mtta_seconds: number | null;
  mttr_seconds: number | null;
}

type BySeverity = Record<IncidentSeverity, IncidentFigures>;
interface Month extends IncidentFigures {
  month: string;
  by_severity: BySeverity;
}

/** Each incident belongs to the month in which it began in that zone; months without incidents are listed, too. */
export function computeIncidentStats(
  incidents: readonly IncidentTimes[],
  { months, timezone }: { months: readonly string[]; timezone: string },
): IncidentFigures & { by_severity: BySeverity; by_month: Month[] } {
  const begunIn = Map.groupBy(incidents, (incident) => dateIn(timezone, incident.started_at).slice(0, 7));
  const counted = months.flatMap((month) => begunIn.get(month) ?? []);
  return {
    ...figuresOf(counted),
    by_severity: bySeverity(counted),
    by_month: months.map((month) => {
      const begun = begunIn.get(month) ?? [];
      return { month, ...figuresOf(begun), by_severity: bySeverity(begun) };
    }),
  };
}

/** The month that holds `now` and those before it, oldest first, as texts such as 2026-11. */
export function listMonthsUntil(now: number, timezone: string, count: number): string[] {
  const [year = 0, month = 1] = dateIn(timezone, now).split("-").map(Number);
  return Array.from({ length: count }, (_, n) =>
    new Date(Date.UTC(year, month - count + n, 1)).toISOString().slice(0, 7),
  );
}

function bySeverity(incidents: readonly IncidentTimes[]): BySeverity {
  const of = (severity: IncidentSeverity) => figuresOf(incidents.filter((incident) => incident.severity === severity));
  return { minor: of("minor"), major: of("major"), critical: of("critical") };
}

function figuresOf(incidents: readonly IncidentTimes[]): IncidentFigures {
  const until = (end: "acknowledged_at" | "resolved_at") =>
    incidents.flatMap((incident) => {
      const at = incident[end];
      return at === null ? [] : [Math.max(0, at - incident.started_at)];
    });
  return {
    total: incidents.length,
    open: incidents.filter((incident) => incident.resolved_at === null).length,
    mtta_seconds: meanSeconds(until("acknowledged_at")),
    mttr_seconds: meanSeconds(until("resolved_at")),
  };
}

function meanSeconds(durations: readonly number[]): number | null {
  if (durations.length === 0) return null;
  return Math.round(durations.reduce((sum, each) => sum + each, 0) / durations.length / 1000);
}
