import type { z } from "zod";
import { commit } from "../../access/commit.ts";
import { requireOperator } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import type { ReachableNetworks, ReachableNetworksChange } from "../../contract/reachable-networks.ts";
import { findReachableNetworks } from "../../data/reachable-networks/read.ts";
import { upsertReachableNetworks } from "../../data/reachable-networks/write.ts";
import { isAllowable } from "../../platform/egress/address.ts";
import { egressOf } from "../../platform/egress/guard.ts";
import { isOnlyHere } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";

export type ShownNetworks = z.infer<typeof ReachableNetworks>;

export async function getReachableNetworks(ctx: RequestScope): Promise<ShownNetworks> {
  requireOperator(ctx);
  const { networks, has_one_account } = await findReachableNetworks(ctx.db);
  const { EGRESS_ALLOW } = settingsOf(ctx.env);
  return { networks, set_by_environment: EGRESS_ALLOW, in_force: has_one_account && isOnlyHere(ctx.env) };
}

/** Fewer networks are set anywhere; more only where nobody but the operator could have something sent to them. */
export async function changeReachableNetworks(
  ctx: RequestScope,
  change: ReachableNetworksChange,
): Promise<ShownNetworks> {
  const operator = requireOperator(ctx);
  const stored = await getReachableNetworks(ctx);
  const networks = [...new Set(change.networks)];
  const added = networks.filter((network) => !stored.networks.includes(network));
  if (added.length > 0 && !stored.in_force) throw conflict(NOT_HERE);
  const refused = added.find((network) => !isAllowable(network));
  if (refused !== undefined) {
    const message = `must not have "${refused}": it is neither private nor of this machine`;
    throw invalid(`networks ${message}`, [{ path: "networks", message }]);
  }
  await commit(ctx, [upsertReachableNetworks(ctx.db, { networks, updated_at: ctx.now })], {
    audit: {
      owner_id: operator.user_id,
      target_type: "reachable_networks",
      target_id: operator.user_id,
      summary: `${operator.email} changed which networks checks and deliveries may reach`,
      data: { networks },
    },
  });
  return { ...stored, networks };
}

const NOT_HERE =
  "networks are allowed here only while nothing but this machine reaches the service and it has one account: name others in EGRESS_ALLOW";

const LOOK_UP_MS = 3_000;

/** Which network the caller would have to allow so that one of these hosts is reached; null where that is not for them to do. */
export async function findNetworkToAllow(ctx: RequestScope, hosts: readonly string[]): Promise<string | null> {
  const { principal, env, settings } = ctx;
  if (!isOnlyHere(env) || principal.kind !== "user" || !principal.is_operator) return null;
  if (!(await getReachableNetworks(ctx)).in_force) return null;
  const signal = AbortSignal.timeout(LOOK_UP_MS);
  for (const host of hosts) {
    const decision = await egressOf(settings).checkResolved({ host, port: 443 }, "check", signal);
    if (!decision.ok && decision.allowable) return decision.allowable;
  }
  return null;
}
