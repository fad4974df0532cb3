import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import { now } from "../platform/clock.ts";
import { egressOf } from "../platform/egress/guard.ts";

/** How long an answer of the canaries counts, so that a hundred failures ask once. */
const VALID_MS = 15_000;
const TIMEOUT_MS = 5_000;

let asked: { targets: readonly string[]; at: number; isWell: Promise<boolean> } | undefined;

/**
 * A failure that is seen while every canary fails, too, is our own: it says nothing about the target. Without canaries
 * every failure counts.
 */
export async function verifyWithCanaries(scope: Scope, result: ProbeResult): Promise<ProbeResult> {
  if (result.outcome !== "failure" || (await isOurWayOutWell(scope))) return result;
  return { outcome: "error", latency_ms: null, message: "our own way out is broken", details: result.details };
}

function isOurWayOutWell(scope: Scope): Promise<boolean> {
  const targets = scope.settings.CANARY_TARGETS;
  if (targets.length === 0) return Promise.resolve(true);
  if (asked?.targets === targets && now() - asked.at < VALID_MS) return asked.isWell;
  asked = { targets, at: now(), isWell: askAll(scope, targets) };
  return asked.isWell;
}

async function askAll(scope: Scope, targets: readonly string[]): Promise<boolean> {
  const answers = await Promise.allSettled(targets.map((target) => ask(scope, target)));
  return answers.some(({ status }) => status === "fulfilled");
}

/** Any answer shows that the way out is there. */
async function ask(scope: Scope, target: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const request = { method: "HEAD", purpose: "check", signal } as const;
  const { response } = await egressOf(scope.settings).guardedFetch(new URL(target), request);
  await response.body?.cancel();
}
