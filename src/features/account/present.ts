import type { z } from "zod";
import type { BillingStatus, TierInfo } from "../../contract/account.ts";
import type { Token } from "../../contract/token.ts";
import type { ApiTokenRecord } from "../../data/users/read.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { listTypesOf } from "../../probes/registry.ts";
import type { AccountUsage } from "./service.ts";

export function presentToken(token: ApiTokenRecord): z.infer<typeof Token> {
  return {
    id: token.id,
    name: token.name,
    token_prefix: token.token_prefix,
    last_used_at: toIsoOrNull(token.last_used_at),
    expires_at: toIsoOrNull(token.expires_at),
    scopes: token.scopes,
    status_page_ids: token.status_page_ids,
    allowed_networks: token.allowed_networks,
    former_until: toIsoOrNull(token.former_until),
    former_used_at: toIsoOrNull(token.former_used_at),
    created_at: toIso(token.created_at),
    updated_at: toIso(token.updated_at),
  };
}

export function presentBilling({ user, monitors, status_pages, seats }: AccountUsage): z.infer<typeof BillingStatus> {
  return {
    plan: user.plan,
    status: "active",
    seats: { used: seats, limit: PLAN_LIMITS[user.plan].seats_per_page },
    usage: { monitors, status_pages },
    renews_at: null,
  };
}

export function presentTier(account: AccountUsage): z.infer<typeof TierInfo> {
  const { user, kept, caps, regions, seats: _, ...usage } = account;
  const limits = PLAN_LIMITS[user.plan];
  return {
    tier: user.plan,
    limits: {
      monitors: limits.monitors,
      min_interval: limits.min_interval,
      regions_per_monitor: limits.regions_per_monitor,
      status_pages: limits.status_pages,
      seats_per_page: limits.seats_per_page,
      raw_results_days: kept.raw_results_days,
      history_days: kept.history_days,
      ...caps,
    },
    usage,
    features: { monitor_types: listTypesOf(user.plan), beta: user.beta, regions: [...regions] },
  };
}
