import { jobScope, type Scope } from "../access/scope.ts";
import { sweepAgents } from "../checks/agent-sweep.ts";
import { planMinute } from "../checks/planner.ts";
import { reconcileTombstones, reconcileUnscheduledMonitors } from "../checks/reconcile.ts";
import { sweepChecks } from "../checks/stale.ts";
import { MinuteMessage, RECONCILE_PART } from "../contract/messages.ts";
import { sweepSubscribers } from "../delivery/subscriber-messages.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { sweepFailingWebhooks } from "../delivery/webhook-owner-notices.ts";
import { sweepEvents } from "../events/consume.ts";
import { sweepMaintenance } from "../events/maintenance.ts";
import { sweepDomains } from "../features/custom-domains/service.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { deleteOldMail, sweepMail } from "../outbox/mail.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { sweepDailyAggregates } from "../sweeps/daily-aggregates.ts";
import { sweepExpired } from "../sweeps/expired.ts";
import { sweepRetention } from "../sweeps/retention.ts";
import { handleMessages } from "./messages.ts";

/**
 * The minute's work in parts. Each runs in an invocation of its own, woken by a message, so that one part's fault, budget
 * of queries or slowness never costs another part its turn.
 */
export const MINUTE_PARTS: Record<string, (scope: Scope, turn: MinuteMessage) => Promise<void>> = {
  deliveries: sweepDeliveries,
  maintenance: sweepMaintenance,
  events: sweepEvents,
  checks: sweepChecks,
  [RECONCILE_PART]: reconcileUnscheduledMonitors,
  tombstones: reconcileTombstones,
  agents: sweepAgents,
  "failing webhooks": sweepFailingWebhooks,
  mail: sweepMail,
  "old mail": deleteOldMail,
  "expired credentials": sweepExpired,
  subscribers: sweepSubscribers,
  "custom domains": sweepDomains,
  "daily aggregates": sweepDailyAggregates,
  retention: sweepRetention,
};

/** A part that waited this long in its queue has been sent again since. */
const PART_EXPIRES_MS = 2 * MINUTE_MS;

/** The clock's tick: plans the checks of this minute here, where no queue can delay it, and wakes every other part. */
export async function runMinute(controller: ScheduledController, env: Env): Promise<void> {
  const minuteAt = Math.floor(controller.scheduledTime / MINUTE_MS) * MINUTE_MS;
  const scope = minuteScope(env, minuteAt);
  await attempt(scope, "plan", () => planMinute(scope, minuteAt));
  const parts = Object.keys(MINUTE_PARTS);
  try {
    await env.MINUTE.sendBatch(parts.map((part) => ({ body: { part, minute_at: minuteAt } })));
  } catch (error) {
    // Late parts in one invocation are better than none while the queue is down.
    scope.log.error("minute", error, { part: "wake" });
    for (const part of parts) await attempt(scope, part, () => runPart(scope, { part, minute_at: minuteAt }));
  }
}

/** One part a message. A part that fails is logged and runs again with the next minute: a retry would only double it. */
export async function handleMinuteParts(batch: MessageBatch, env: Env): Promise<void> {
  await handleMessages(jobScope(env, "minute"), batch, MinuteMessage, async (turn) => {
    const { part, minute_at } = turn;
    const ofPart = minuteScope(env, minute_at);
    if (ofPart.now - minute_at > PART_EXPIRES_MS) return;
    await attempt(ofPart, part, () => runPart(ofPart, turn));
  });
}

/** Timers may fire a little early; what is due at this minute would wait for the next one. */
function minuteScope(env: Env, minuteAt: number): Scope {
  return jobScope(env, "minute", Math.max(now(), minuteAt));
}

async function runPart(scope: Scope, turn: MinuteMessage): Promise<void> {
  await MINUTE_PARTS[turn.part]?.(scope, turn);
}

async function attempt(scope: Scope, part: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    scope.log.error("minute", error, { part });
  }
}
