import type { z } from "zod";
import type { SlaFigures, SlaHistory, SlaPolicy, SlaSummary, SlaTargets } from "../../contract/sla.ts";
import type { SlaPolicyRecord, SlaTargetRecord } from "../../data/sla/read.ts";
import type { SlaResult } from "../../domain/sla.ts";
import { toIso } from "../../platform/clock.ts";
import type { MeasuredHistory, MeasuredPage } from "./service.ts";

export function presentSummary(measured: MeasuredPage): SlaSummary {
  const { page, range, target_percentage, overall, monitors } = measured;
  return {
    status_page_id: page.id,
    period: { from: toIso(range.from_at), to: toIso(range.to_at) },
    target_percentage,
    overall: presentResult(overall),
    monitors: monitors.map((monitor) => ({
      monitor_id: monitor.id,
      name: monitor.name,
      target_percentage: monitor.target_percentage,
      ...presentResult(monitor.result),
    })),
  };
}

export function presentHistory({ page, range, target_percentage, steps }: MeasuredHistory): SlaHistory {
  return {
    status_page_id: page.id,
    period: { from: toIso(range.from_at), to: toIso(range.to_at) },
    target_percentage,
    steps: steps.map(({ from_at, to_at, result }) => ({
      from: toIso(from_at),
      to: toIso(to_at),
      uptime_percentage: result.uptime_percentage,
      downtime_seconds: toSeconds(result.downtime_ms),
    })),
  };
}

/** As people read it: nothing is said yet of what was measured for less than an hour. */
export function presentShown(measured: MeasuredPage): SlaSummary {
  const summary = presentSummary(measured);
  const shown = new Map(measured.monitors.map(({ id, result }) => [id, result.shown_percentage]));
  const say = <Said extends SlaSummary["overall"]>(said: Said, percentage: number | null): Said => ({
    ...said,
    uptime_percentage: percentage,
    meets_target: percentage === null ? null : said.meets_target,
  });
  return {
    ...summary,
    overall: say(summary.overall, measured.overall.shown_percentage),
    monitors: summary.monitors.map((monitor) => say(monitor, shown.get(monitor.monitor_id) ?? null)),
  };
}

/** Rounding keeps order: where the target is met, the rounded downtime is not above the rounded budget. */
function presentResult(result: SlaResult): Omit<SlaFigures, "target_percentage"> {
  const downtime_seconds = toSeconds(result.downtime_ms);
  const error_budget_seconds = toSeconds(result.error_budget_ms);
  return {
    uptime_percentage: result.uptime_percentage,
    downtime_seconds,
    degraded_seconds: toSeconds(result.degraded_ms),
    maintenance_seconds: toSeconds(result.maintenance_ms),
    outages: result.outages,
    mttr_seconds: result.mttr_ms === null ? null : toSeconds(result.mttr_ms),
    mtbf_seconds: result.mtbf_ms === null ? null : toSeconds(result.mtbf_ms),
    meets_target: result.meets_target,
    error_budget_seconds,
    error_budget_remaining_seconds: error_budget_seconds - downtime_seconds,
  };
}

function toSeconds(ms: number): number {
  return Math.round(ms / 1000);
}

export function presentPolicy(policy: SlaPolicyRecord): z.infer<typeof SlaPolicy> {
  return {
    id: policy.id,
    name: policy.name,
    target_percentage: policy.target_percentage,
    period: policy.period,
    exclude_maintenance: policy.exclude_maintenance,
    degraded_counts_as_downtime: policy.degraded_counts_as_downtime,
    created_at: toIso(policy.created_at),
    updated_at: toIso(policy.updated_at),
  };
}

export function presentTargets(targets: readonly SlaTargetRecord[]): SlaTargets {
  return { targets: targets.map(({ monitor_id, target_percentage }) => ({ monitor_id, target_percentage })) };
}
