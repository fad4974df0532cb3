import { ALARM_NAMES, ALARMS, type AlarmName } from "../contract/alarm.ts";
import type { CountedUnits } from "../contract/capacity.ts";
import type { QueueName } from "../contract/queues.ts";
import type { WorkersPlan } from "../contract/workers-plan.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { PRICES } from "./bill.ts";
import { type BudgetLine, decideThinning, listScarce } from "./free-budget.ts";
import { markerLateAfterMs } from "./free-plan.ts";
import { computeDatabaseUse, type KnownQueues, listLateQueues } from "./service-health.ts";

/** Units of this long are evaluated. */
export const ALARM_WINDOW_MS = 15 * MINUTE_MS;
/** Dead letters older than this are known. */
const DEAD_LETTER_MS = HOUR_MS;
/** A single failure is repeated by the next minute, or by the client. */
const FAILED_PARTS_MIN = 3;
const SERVER_ERRORS_MIN = 10;
const SERVER_ERROR_PERCENT = 5;

export interface ServiceState extends KnownQueues {
  queues: readonly {
    queue: QueueName;
    marker_sent_at: number | null;
    dead_letters: number;
    dead_letter_at: number | null;
  }[];
  database_bytes: number;
  /** Those of the last `ALARM_WINDOW_MS`. */
  units: CountedUnits;
  /** Of the day, on the Workers Free plan. */
  budget?: readonly BudgetLine[];
}

interface AlarmLimits {
  late_after_ms: number;
  plan?: WorkersPlan;
  now: number;
}

/** What is wrong with the installation, each with what it was found by. */
export function findAlarms(
  state: ServiceState,
  { late_after_ms, plan = "paid", now }: AlarmLimits,
): Map<AlarmName, string> {
  const { units, database_bytes } = state;
  const late = listLateQueues(state, markerLateAfterMs(plan, late_after_ms));
  const dead = state.queues.filter(
    ({ dead_letter_at }) => dead_letter_at !== null && now - dead_letter_at < DEAD_LETTER_MS,
  );
  const { percent, is_nearly_full } = computeDatabaseUse(database_bytes, plan);
  const errorPercent = Math.round((units.server_errors / Math.max(units.responses, 1)) * 100);
  const isFailing = units.server_errors >= SERVER_ERRORS_MIN && errorPercent >= SERVER_ERROR_PERCENT;
  const scarce = listScarce(state.budget ?? []);
  const every = decideThinning(state.budget ?? [], now);
  const found: Record<AlarmName, string | null> = {
    queue_delayed: late.length === 0 ? null : `queues: ${late.join(", ")}`,
    dead_letters: dead.length === 0 ? null : `queues: ${dead.map(({ queue }) => queue).join(", ")}`,
    database_size: is_nearly_full ? `${percent} % of its limit are used` : null,
    error_rate: isFailing ? `${units.server_errors} of ${units.responses} requests in 15 minutes` : null,
    sweep_failed: units.failed_parts >= FAILED_PARTS_MIN ? `${units.failed_parts} failures in 15 minutes` : null,
    free_budget: scarce.length === 0 ? null : scarce.map(describeLine).join(", "),
    checks_thinned: every === 1 ? null : `one of ${every} is made`,
    canaries_failed: units.unreachable_checks > 0 ? `${units.unreachable_checks} checks in 15 minutes` : null,
  };
  return new Map(
    ALARM_NAMES.flatMap((name): [AlarmName, string][] => {
      const detail = found[name];
      return detail === null ? [] : [[name, `${ALARMS[name]} (${detail})`]];
    }),
  );
}

/** In steps of five, so that the words change seldom. */
function describeLine({ unit, share }: BudgetLine): string {
  return `${PRICES[unit].label}: ${Math.min(100, Math.floor(share * 20) * 5)} %`;
}
