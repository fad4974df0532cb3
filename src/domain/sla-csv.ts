import type { SlaSummary } from "../contract/sla.ts";
import { toCsv } from "./csv.ts";

const COLUMNS = [
  "target_percentage",
  "uptime_percentage",
  "downtime_seconds",
  "degraded_seconds",
  "maintenance_seconds",
  "outages",
  "mttr_seconds",
  "mtbf_seconds",
  "meets_target",
  "error_budget_seconds",
  "error_budget_remaining_seconds",
] as const;

/** One row for the whole, then one for each monitor. */
export function toSlaCsv({ period, target_percentage, overall, monitors }: SlaSummary): string {
  const whole = { monitor_id: null, name: "Overall", target_percentage, ...overall };
  return toCsv([
    ["monitor_id", "monitor", "from", "to", ...COLUMNS],
    ...[whole, ...monitors].map((row) => [
      row.monitor_id,
      row.name,
      period.from,
      period.to,
      ...COLUMNS.map((column) => row[column]),
    ]),
  ]);
}
