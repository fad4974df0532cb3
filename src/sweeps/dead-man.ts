import type { Scope } from "../access/scope.ts";
import { readServiceHealth } from "../data/queue-health/read.ts";
import { markerLateAfterMs } from "../domain/free-plan.ts";
import { listLateQueues } from "../domain/service-health.ts";
import { egressOf } from "../platform/egress/guard.ts";

const TIMEOUT_MS = 10_000;

/**
 * A heartbeat to a monitor outside of this installation, which notices that the service has ended because the beats do.
 * It is sent while the clock, the database and every queue work.
 */
export async function sendHeartbeat({ db, settings, log }: Scope): Promise<void> {
  if (settings.HEARTBEAT_URL === "") return;
  const late = listLateQueues(
    await readServiceHealth(db),
    markerLateAfterMs(settings.PLAN, settings.CHECKS_LATE_AFTER_MS),
  );
  if (late.length > 0) {
    log.warn("heartbeat withheld", { late_queues: late.join(",") });
    return;
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { method: "GET", purpose: "delivery", signal } as const;
  const { response } = await egressOf(settings).guardedFetch(new URL(settings.HEARTBEAT_URL), options);
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the heartbeat was answered with status ${response.status}`);
}
