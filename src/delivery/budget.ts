import { capOf } from "../access/plan-caps.ts";
import type { Scope } from "../access/scope.ts";
import type { Plan } from "../contract/plan.ts";
import { runBatch } from "../data/db.ts";
import type { ClaimedDelivery } from "../data/deliveries/write.ts";
import { listThrottledOwners } from "../data/delivery-budgets/read.ts";
import {
  clearThrottling,
  countDeliveries,
  endThrottling,
  releaseDeliveries,
  throttleDeliveries,
} from "../data/delivery-budgets/write.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { SWEEP_PAGE } from "../outbox/publication.ts";
import { mayReachHost } from "./host-limits.ts";
import { wakeDeliveries } from "./wake.ts";
import { openConfig } from "./webhook-config.ts";

/**
 * How many deliveries an owner's webhooks send in a minute. What is above waits: the minute's sweep releases the newest
 * first, because the latest state matters most, and what arrives meanwhile is newer still.
 */

/** The sweep releases what waits; this is for deliveries that it missed. */
const MISSED_AFTER_MS = 6 * HOUR_MS;
const OWNERS_PER_MINUTE = 300;

type Sendable = Pick<ClaimedDelivery, "delivery" | "webhook" | "owner_plan">;

/**
 * Takes claimed deliveries from this minute's budgets of their owners, and of each host that they reach, and gives those
 * that fit; the others wait.
 */
export async function claimFromBudget<Each extends Sendable>(scope: Scope, claimed: readonly Each[]): Promise<Each[]> {
  const owners = Map.groupBy(claimed, ({ webhook }) => webhook.owner_id);
  const fitting: Each[] = [];
  // Oldest first, so that no end is sent in a minute in which its beginning has to wait.
  for (const [owner_id, theirs] of owners)
    fitting.push(...(await claimOfOwner(scope, owner_id, theirs.toSorted(byAge))));
  const waited = fitting.filter(({ delivery }) => delivery.throttled_owner_id !== null);
  if (waited.length > 0) await runBatch(scope.db, [clearThrottling(scope.db, idsOf(waited))]);
  return fitting;
}

async function claimOfOwner<Each extends Sendable>(
  scope: Scope,
  owner_id: string,
  claimed: readonly Each[],
): Promise<readonly Each[]> {
  const { db, settings, now } = scope;
  const plan = claimed[0]?.owner_plan ?? settings.DEFAULT_PLAN;
  const max = capOf(settings, "deliveries", plan);
  if (max === null) return claimed;
  const minute_at = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const taken = await countDeliveries(db, { owner_id, minute_at, count: claimed.length });
  const free = Math.max(claimed.length - Math.max(taken - max, 0), 0);
  const fitting = await claimFromHosts(scope, { owner_id, plan }, claimed.slice(0, free));
  const waiting = claimed.filter((each) => !fitting.includes(each)).map(({ delivery }) => delivery);
  if (waiting.length > 0) {
    const wait = { owner_id, next_attempt_at: minute_at + MINUTE_MS, wake_at: now + MISSED_AFTER_MS, now };
    await runBatch(db, throttleDeliveries(db, waiting, wait));
  }
  return fitting;
}

/** Those that their hosts may be sent in this minute. What cannot be read fails by itself. */
async function claimFromHosts<Each extends Sendable>(
  scope: Scope,
  owner: { owner_id: string; plan: Plan },
  claimed: readonly Each[],
): Promise<Each[]> {
  const webhooks = new Map(claimed.map(({ webhook }) => [webhook.id, webhook]));
  const urls = new Map<string, string>();
  for (const webhook of webhooks.values()) {
    const config = await openConfig(scope.settings, webhook).catch(() => null);
    urls.set(webhook.id, config?.url ?? "");
  }
  const fitting: Each[] = [];
  for (const each of claimed) {
    const reached = { ...owner, url: urls.get(each.webhook.id) ?? "" };
    if (await mayReachHost(scope, "delivery_host", reached)) fitting.push(each);
  }
  return fitting;
}

const byAge = (one: Sendable, other: Sendable) => one.delivery.created_at - other.delivery.created_at;

const idsOf = (claimed: readonly Sendable[]) => claimed.map(({ delivery }) => delivery.id);

/** Every minute: makes as many of each owner's waiting deliveries due as the plan allows. */
export async function sweepThrottled(scope: Scope): Promise<void> {
  const { db, settings, now } = scope;
  for (const { owner_id, plan } of await listThrottledOwners(db, OWNERS_PER_MINUTE)) {
    const limit = capOf(settings, "deliveries", plan ?? settings.DEFAULT_PLAN) ?? SWEEP_PAGE;
    const ids = await releaseDeliveries(db, owner_id, { limit, now });
    if (ids.length < limit) await runBatch(db, [endThrottling(db, owner_id)]);
    await wakeDeliveries(scope, ids);
  }
}
