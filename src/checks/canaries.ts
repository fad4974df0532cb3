import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import { syntheticFailure } from "../net/faults.ts";
import { now } from "../platform/clock.ts";
import { egressOf } from "../platform/egress/guard.ts";

type Settings = Pick<Scope, "settings">;

/** The message of a check while no canary answered. */
export const NO_NETWORK = "the checker has no network connection";

/** How long the responses of the canaries are valid, so that a hundred failures cost one request to each. */
const VALID_MS = 15_000;
const TIMEOUT_MS = 5_000;

let answered: { targets: readonly string[]; at: number; isReachable: boolean } | undefined;
/** Requests under way, by what an invocation shares: one of another invocation ends with that, and is never settled. */
const underWay = new WeakMap<Settings, Promise<boolean>>();

/**
 * A failure while every canary fails too is an error of the checker and no failure of the target. Without canaries every
 * failure counts.
 */
export async function verifyWithCanaries(scope: Settings, result: ProbeResult): Promise<ProbeResult> {
  if (result.outcome !== "failure" || (await isNetworkReachable(scope))) return result;
  return {
    outcome: "error",
    latency_ms: null,
    message: NO_NETWORK,
    details: result.details,
  };
}

async function isNetworkReachable(scope: Settings): Promise<boolean> {
  const targets = scope.settings.CANARY_TARGETS;
  if (targets.length === 0) return true;
  if (answered?.targets === targets && now() - answered.at < VALID_MS) return answered.isReachable;
  const asked = underWay.get(scope) ?? requestAll(scope, targets);
  underWay.set(scope, asked);
  try {
    const isReachable = await asked;
    answered = { targets, at: now(), isReachable };
    return isReachable;
  } finally {
    underWay.delete(scope);
  }
}

/** One after the other, on the connection of the check that failed. */
async function requestAll(scope: Settings, targets: readonly string[]): Promise<boolean> {
  for (const target of targets) {
    try {
      await request(scope, target);
      return true;
    } catch {
      // The next one may respond.
    }
  }
  return false;
}

/** A response that Cloudflare's network made for a server that it cannot reach is no response of the canary. */
async function request(scope: Settings, target: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { method: "GET", purpose: "check", signal } as const;
  const { response } = await egressOf(scope.settings).guardedFetch(new URL(target), options);
  await response.body?.cancel();
  const failure = syntheticFailure(response.status, response.headers);
  if (failure) throw new Error(failure.message);
}
