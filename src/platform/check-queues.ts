import type { CheckMessage } from "../contract/messages.ts";
import type { Env } from "./env.ts";

/** The queue takes at most this many messages at once. */
const BATCH_MAX = 100;

export interface ScheduledCheck extends CheckMessage {
  /** When to run, epoch ms. */
  run_at: number;
}

export async function sendChecks(env: Env, checks: readonly ScheduledCheck[], now: number): Promise<void> {
  for (const [queue, slow] of [
    [env.CHECKS, false],
    [env.CHECKS_SLOW, true],
  ] as const) {
    const messages = checks
      .filter((check) => check.group_id.endsWith("/slow") === slow)
      .map(({ run_at, ...check }) => ({
        body: { kind: "check" as const, ...check },
        delaySeconds: Math.max(0, Math.ceil((run_at - now) / 1000)),
      }));
    for (let n = 0; n < messages.length; n += BATCH_MAX) await queue.sendBatch(messages.slice(n, n + BATCH_MAX));
  }
}
