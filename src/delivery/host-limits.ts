import { capOf } from "../access/plan-caps.ts";
import { isWithinRate } from "../access/rate-limit.ts";
import type { Scope } from "../access/scope.ts";
import type { Plan } from "../contract/plan.ts";
import { countDeliveries } from "../data/delivery-budgets/write.ts";
import { findUser } from "../data/users/read.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { isHttpUrl } from "../notifiers/port.ts";

/**
 * How often requests of one account reach one host, which may be a stranger's. Accounts of an operator's own installation
 * are limited where RATE_LIMITS says so.
 */
interface Reached {
  owner_id: string;
  plan: Plan;
  url: string;
}

/** Counts one request; false beyond the limit of its class. */
export async function mayReachHost(
  scope: Scope,
  rateClass: "contact_host" | "delivery_host",
  { owner_id, plan, url }: Reached,
): Promise<boolean> {
  if (!isHttpUrl(url)) return true;
  if (!isLimited(plan) && scope.settings.RATE_LIMITS[rateClass] === undefined) return true;
  const caller = { ...scope, ip: null, principal: { kind: "anonymous" } } as const;
  return isWithinRate(caller, rateClass, `${owner_id}:${new URL(url).host}`);
}

/** The operator's own people are no strangers to the operator. */
export function isLimited(plan: Plan): boolean {
  return plan !== "self_hosted";
}

export async function findPlan({ db, settings }: Pick<Scope, "db" | "settings">, ownerId: string): Promise<Plan> {
  return (await findUser(db, ownerId))?.plan ?? settings.DEFAULT_PLAN;
}

/** Takes a request to an on-call contact from the minute's budget of deliveries. It is sent also where nothing is left. */
export async function countContactRequest(
  { db, settings, now }: Scope,
  { owner_id, plan }: Omit<Reached, "url">,
): Promise<void> {
  if (capOf(settings, "deliveries", plan) === null) return;
  await countDeliveries(db, { owner_id, minute_at: Math.floor(now / MINUTE_MS) * MINUTE_MS, count: 1 });
}
