import { QUEUES } from "../../src/contract/queues.ts";
import { type BilledUnit, computeUnitsPerCheck, OPERATIONS_PER_MESSAGE, PRICES } from "../../src/domain/bill.ts";
import {
  CHECK_SIZES,
  FREE_PER_DAY,
  FREE_PER_WORKER,
  FREE_UNITS,
  type FreeUnit,
  findFreePlanViolation,
} from "../../src/domain/free-plan.ts";
import { Refusal } from "../local/command-error.ts";
import { addUnits, type Fleet } from "./cost.ts";
import type { BaseConfig } from "./worker-config.ts";

const MINUTES_PER_DAY = 1_440;
const SECONDS_PER_DAY = 86_400;

/** The tick of a minute, which runs the parts of its work itself: the limits that tests hold it to. */
export const FREE_UNITS_PER_MINUTE = {
  workerRequests: 1,
  d1RowsRead: 150,
  d1RowsWritten: 10,
  /** The witness, and the meter. */
  objectRequests: 2,
  objectRowsWritten: 4,
  objectDuration: 2 * 0.128 * 0.01,
  /** An hour's markers, one a queue; each is a batch of its own. */
  queueOperations: (QUEUES.length * OPERATIONS_PER_MESSAGE) / 60,
} as const;

export interface BudgetLine {
  unit: FreeUnit;
  used: number;
  given: number;
}

/** A day of healthy targets, without heartbeats, alerts and people. */
export function computeDailyBudget({ monitors, interval }: Fleet): BudgetLine[] {
  const members = Math.min(monitors, CHECK_SIZES.free.shard);
  const perCheck = computeUnitsPerCheck({ members_per_message: members });
  const checks = (monitors * SECONDS_PER_DAY) / interval;
  const used = addUnits([perCheck, checks], [FREE_UNITS_PER_MINUTE, MINUTES_PER_DAY]);
  return FREE_UNITS.map((unit) => ({ unit, used: used[unit] ?? 0, given: FREE_PER_DAY[unit] }));
}

export function formatDailyBudget(fleet: Fleet): string {
  const count = (value: number) => Math.round(value).toLocaleString("en-US");
  const lines = computeDailyBudget(fleet).map(({ unit, used, given }) => {
    const verdict = used > given ? `too many, by ${count(used - given)}` : `${Math.ceil((100 * used) / given)} %`;
    return `  ${count(used).padStart(12)} of ${count(given).padStart(9)}  ${labelOf(unit).padEnd(22)} ${verdict}`;
  });
  return [
    `A day of ${fleet.monitors} monitors every ${fleet.interval} s on the Workers Free plan:`,
    ...lines,
    "  Heartbeats, views of pages, alerts and the dashboard come on top: docs/free-plan.md",
    verdictOn(fleet),
  ].join("\n");
}

/** As the service itself would judge the last of these monitors. */
function verdictOn({ monitors, interval }: Fleet): string {
  const rate = ((monitors - 1) * 60) / interval;
  const fleet = { monitors: monitors - 1, checks_per_minute: rate, heartbeats_per_minute: 0 };
  const violation = findFreePlanViolation({ interval, load: "check", needs_tls: false, has_steps: false }, fleet);
  return violation === null ? "The plan holds them." : `The plan does not hold them: ${violation}.`;
}

/** What Cloudflare would refuse an account on the free plan, said before anything is made. */
export function refuseBeyondFreePlan(config: BaseConfig, bindings: Record<string, string>): void {
  const variables = Object.keys(bindings).length + Object.keys(config.vars).length;
  if (variables > FREE_PER_WORKER.variables) {
    throw new Refusal(
      `a Worker has ${FREE_PER_WORKER.variables} variables on the Workers Free plan, and this one ${variables}`,
    );
  }
}

const labelOf = (unit: BilledUnit) => PRICES[unit].label;
