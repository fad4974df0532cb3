import { limitOf } from "../../access/rate-limit.ts";
import { rateLimited, unauthenticated, unavailable } from "../../contract/errors.ts";
import type { Push, PushOutcome } from "../../contract/monitor-object.ts";
import { unpackRepeated } from "../../contract/repeated-heartbeat.ts";
import { DeadlineError, endsWithin, withDeadline } from "../../lib/with-deadline.ts";
import { now } from "../../platform/clock.ts";
import { isObjectUnavailable, monitorObject } from "../../platform/monitor-objects.ts";
import { REQUEST_OBJECT_TIMEOUT_MS } from "../../platform/object-timeout.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
import type { AcceptedPush, PushScope } from "./follow-up.ts";

type Pushed = Pick<Push, "kind" | "beat" | "samples">;

/** Hands a push to its monitor's object; the database is touched only when the status moved, or rules listen. */
export async function acceptPush(ctx: PushScope, credential: PushCredential, pushed: Pushed): Promise<AcceptedPush> {
  const { monitor_id, credential_version, credential_key } = credential;
  const per_minute = limitOf(ctx.settings, "push")?.limit ?? null;
  const recovery = limitOf(ctx.settings, "push_recovery");
  const recoveries = recovery ? { limit: recovery.limit, window_ms: recovery.window_seconds * 1000 } : null;
  const push = { ...pushed, credential_version, credential_key, per_minute, recoveries, reads_text: true } as const;
  let answer: PushOutcome | string;
  try {
    // Cron jobs and devices wait for the answer, and give up on their own after some ten seconds.
    answer = await withDeadline(monitorObject(ctx.env, monitor_id).push(monitor_id, push), REQUEST_OBJECT_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof DeadlineError) && !isObjectUnavailable(error)) throw error;
    ctx.log.error("push", error, { monitor_id });
    throw unavailable("the monitor cannot take the push now, send it again");
  }
  if (typeof answer === "string") return unpackRepeated(answer);
  if (answer.outcome === "unauthorized") throw unauthenticated();
  if (answer.outcome === "rate_limited") throw rateLimited(Math.ceil(answer.retry_after_ms / 1000));
  if (!answer.snapshot && !answer.evaluates_rules) return answer;
  const following = follow(ctx, monitor_id, answer);
  // The object has taken the push and repeats its event, so what the database does with it delays nobody for long.
  const left = ctx.now + REQUEST_OBJECT_TIMEOUT_MS - now();
  if (!(await endsWithin(following, Math.max(0, left)))) ctx.defer(following);
  return answer;
}

/** Loaded by the few pushes that need it; on a busy machine that takes its time, too. */
async function follow(ctx: PushScope, monitorId: string, accepted: AcceptedPush): Promise<void> {
  const { followUp } = await import("./follow-up.ts");
  await followUp(ctx, monitorId, accepted);
}
