import type { Scope } from "../access/scope.ts";
import type { Plan } from "../contract/plan.ts";
import { DAY_MS } from "../lib/durations.ts";

/** Calendar days begin up to this much earlier than a span of as many days. */
const MARGIN_MS = DAY_MS;

/** What was over before this is older than the plan keeps; null: a user without a plan of their own. */
export function retentionCutoff({ settings, now }: Scope, plan: Plan | null): number {
  return now - settings.HISTORY_DAYS[plan ?? settings.DEFAULT_PLAN] * DAY_MS - MARGIN_MS;
}

/** The edge of the most generous plan. */
export function oldestCutoff({ settings, now }: Scope): number {
  return now - Math.max(...Object.values(settings.HISTORY_DAYS)) * DAY_MS - MARGIN_MS;
}
