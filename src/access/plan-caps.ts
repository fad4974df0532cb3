import { ApiError, planLimit } from "../contract/errors.ts";
import type { PlanCap } from "../contract/limiter-object.ts";
import type { Plan } from "../contract/plan.ts";
import type { Condition } from "../data/db.ts";
import type { GuardedCap } from "../data/write-guards/write.ts";
import { PLAN_CAPS } from "../domain/plan-caps.ts";
import type { Settings } from "../platform/settings.ts";
import type { Guard } from "./audited-write.ts";
import { getOwnerPlan } from "./owners.ts";
import type { RequestScope } from "./scope.ts";

/** What a cap counts, as the refusal names it. */
const NOUNS: Record<PlanCap, string> = {
  agents: "agents",
  webhooks: "webhooks",
  secrets: "secrets",
  open_incidents: "open incidents",
  timeline_updates: "updates of one incident or maintenance window",
  incident_templates: "incident templates",
  planned_maintenance: "planned maintenance windows",
  page_subscribers: "confirmed subscribers of a status page",
  opened_accounts: "accounts that their page's owner opened with a password",
  stored_text: "bytes of stored texts",
  written_rows: "rows written an hour",
  agent_rows: "rows written by agents an hour",
  audit_bytes: "bytes of audit log",
  deliveries: "deliveries a minute",
  delivery_bytes: "bytes of kept deliveries a day",
  mails: "mails a day to addresses outside of the team",
  subscriber_mails: "mails a day to subscribers",
};

/** null = no limit, because of the plan or because the operator switched it off. */
export function capOf(settings: Settings, cap: PlanCap, plan: Plan): number | null {
  const chosen = settings.RATE_LIMITS[cap];
  if (chosen !== undefined) return chosen === "off" ? null : chosen;
  // A number for all classes is one of requests; it says nothing about what is stored.
  return settings.RATE_LIMITS.all === "off" ? null : PLAN_CAPS[cap][plan];
}

interface Capped {
  cap: GuardedCap;
  owner_id: string;
  /** Whether there are so many already, as the batch evaluates it. */
  isReached: (max: number) => Condition;
}

/** Holds a cap of the owner's plan, also when several requests write at once. */
export async function capGuard(ctx: RequestScope, { cap, owner_id, isReached }: Capped): Promise<Guard[]> {
  const plan = await getOwnerPlan(ctx, owner_id);
  const max = capOf(ctx.settings, cap, plan);
  return max === null ? [] : [{ name: cap, when: isReached(max), error: capError(cap, { plan, max }) }];
}

export function capError(cap: PlanCap, { plan, max }: { plan: Plan; max: number }): ApiError {
  if (cap === "page_subscribers") {
    return new ApiError(403, "the status page accepts no more subscribers", { code: "page_full" });
  }
  return planLimit(`the ${plan} plan includes at most ${max} ${NOUNS[cap]}`);
}
