import type { CountedUnits } from "../contract/capacity.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { type BilledUnits, OPERATIONS_PER_MESSAGE } from "./bill.ts";
import { FREE_PER_DAY, FREE_UNITS, type FreeUnit } from "./free-plan.ts";

/**
 * What an installation on the Workers Free plan has spent of its day. The budget is nine tenths of what the platform gives:
 * the last tenth carries the alerts, and the checks that are left, until midnight UTC.
 */
const BUDGET_SHARE = 0.9;
/** From here on operators are warned. */
const WARN_SHARE = 0.8;
/** Of the last tenth, for what checks lead to. */
const RESERVE_SHARE = 0.03;
/** A monitor that is checked every five minutes is then checked twice in five hours. */
const THINNED_MAX = 30;
/** A push stores two rows, a message of results one. */
const ROWS_PER_OBJECT_REQUEST = 2;
/** 128 MB for 10 ms: an object's clock stands still while it computes. */
const DURATION_PER_OBJECT_REQUEST = 0.128 * 0.01;
/** What visitors take is no reason to check less: that spares none of it. */
const SPENT_BY_CHECKS: readonly FreeUnit[] = [
  "workerRequests",
  "queueOperations",
  "d1RowsRead",
  "d1RowsWritten",
  "objectRequests",
  "objectRowsWritten",
];

export interface BudgetLine {
  unit: FreeUnit;
  /** Rows and duration of objects are estimated by their requests. */
  used: number;
  limit: number;
  /** used / limit */
  share: number;
}

export function startOfDay(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

/** What was spent of each resource since midnight UTC, as the isolates counted it. */
export function computeFreeBudget(units: CountedUnits): BudgetLine[] {
  const spent = spentOf(units);
  return FREE_UNITS.map((unit) => {
    const limit = Math.round(FREE_PER_DAY[unit] * BUDGET_SHARE);
    const used = Math.round(spent[unit] ?? 0);
    return { unit, used, limit, share: Number((used / limit).toFixed(4)) };
  });
}

function spentOf(units: CountedUnits): BilledUnits {
  return {
    workerRequests: units.requests,
    queueOperations: units.messages * OPERATIONS_PER_MESSAGE,
    d1RowsRead: units.d1_rows_read,
    d1RowsWritten: units.d1_rows_written,
    objectRequests: units.object_requests,
    objectRowsWritten: units.object_requests * ROWS_PER_OBJECT_REQUEST,
    objectDuration: units.object_requests * DURATION_PER_OBJECT_REQUEST,
    kvReads: units.kv_reads,
    kvWrites: units.kv_writes,
  };
}

/** Resources of which so much is spent that operators are to know. */
export function listScarce(budget: readonly BudgetLine[]): BudgetLine[] {
  return budget.filter(({ share }) => share >= WARN_SHARE);
}

/**
 * Every how many slots of each check group are checked for the rest of the day, so that what is left lasts: 1 while the
 * budget does. All groups are thinned alike.
 */
export function decideThinning(budget: readonly BudgetLine[], now: number): number {
  const minutes = Math.max(1, (now - startOfDay(now)) / MINUTE_MS);
  const minutesLeft = DAY_MS / MINUTE_MS - minutes;
  const wanted = budget
    .filter(({ unit, share }) => share >= 1 && SPENT_BY_CHECKS.includes(unit))
    .map(({ unit, used }) => {
      const left = FREE_PER_DAY[unit] * (1 - RESERVE_SHARE) - used;
      const needed = (used / minutes) * minutesLeft;
      return left <= 0 ? THINNED_MAX : Math.ceil(needed / left);
    });
  return wanted.length === 0 ? 1 : Math.min(THINNED_MAX, Math.max(2, ...wanted));
}
