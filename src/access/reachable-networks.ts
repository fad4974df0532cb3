import { openDb } from "../data/db.ts";
import { findReachableNetworks } from "../data/reachable-networks/read.ts";
import { type Env, isOnlyHere } from "../platform/env.ts";

const widened = new WeakMap<Env, { allow: string; env: Env }>();

/**
 * The variables of the service, whose EGRESS_ALLOW has what its operator allowed in the dashboard, so that the guard has one
 * list. It is read for each piece of work, because it ends with the second account. Only a service that nothing but its own
 * machine reaches asks for it: on Cloudflare there is no such list.
 */
export async function withReachableNetworks(env: Env): Promise<Env> {
  if (!isOnlyHere(env)) return env;
  const { networks, has_one_account } = await findReachableNetworks(openDb(env.DB));
  if (!has_one_account || networks.length === 0) return env;
  const allow = [Reflect.get(env, "EGRESS_ALLOW") ?? "", ...networks].join(",");
  const known = widened.get(env);
  // The same object while the list is the same: settings and what names resolved to are remembered by it.
  if (known?.allow === allow) return known.env;
  const wide = Object.assign({ ...env }, { EGRESS_ALLOW: allow });
  widened.set(env, { allow, env: wide });
  return wide;
}
