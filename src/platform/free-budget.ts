import { type BudgetLine, computeFreeBudget, startOfDay } from "../domain/free-budget.ts";
import type { Env } from "./env.ts";
import type { Settings } from "./settings.ts";
import { readUsage } from "./usage.ts";

/** What was spent since midnight UTC; null on the Workers Paid plan, where a day has no end. */
export async function readFreeBudget(scope: {
  env: Env;
  settings: Settings;
  now: number;
}): Promise<BudgetLine[] | null> {
  if (scope.settings.PLAN !== "free") return null;
  return computeFreeBudget((await readUsage(scope.env, startOfDay(scope.now))).units);
}
