import { sweepIdempotencyKeys } from "../access/idempotency.ts";
import { sweepInvitations } from "../access/members.ts";
import { jobScope, type Scope } from "../access/scope.ts";
import { sweepSessions } from "../access/sessions.ts";
import { sweepAgents } from "../checks/agent-sweep.ts";
import { MINUTE_MS } from "../checks/enqueue.ts";
import { planMinute } from "../checks/planner.ts";
import { reconcileTombstones, reconcileUnscheduledMonitors } from "../checks/reconcile.ts";
import { sweepChecks } from "../checks/stale.ts";
import { sweepSubscribers } from "../delivery/subscriber-messages.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { sweepFailingWebhooks } from "../delivery/webhook-owner-notices.ts";
import { sweepEvents } from "../events/consume.ts";
import { sweepMaintenance } from "../events/maintenance.ts";
import { sweepDomains } from "../features/custom-domains/service.ts";
import { deleteOldMail, sweepMail } from "../outbox/mail.ts";
import type { Env } from "../platform/env.ts";
import { sweepDailyAggregates } from "../sweeps/daily-aggregates.ts";
import { sweepRetention } from "../sweeps/retention.ts";

/** The clock's tick. The parts do not depend on each other: one that fails is logged and the next one runs. */
export async function runMinute(controller: ScheduledController, env: Env): Promise<void> {
  const minuteAt = Math.floor(controller.scheduledTime / MINUTE_MS) * MINUTE_MS;
  const scope = ofMinute(jobScope(env, "minute"), minuteAt);
  await attempt(scope, "plan", () => planMinute(scope, minuteAt));
  await attempt(scope, "deliveries", () => sweepDeliveries({ ...scope, now: scope.now() }));
  await attempt(scope, "maintenance", () => sweepMaintenance(scope));
  await attempt(scope, "events", () => sweepEvents(scope));
  await attempt(scope, "checks", () => sweepChecks(scope));
  await attempt(scope, "visits", () => reconcileUnscheduledMonitors(scope));
  await attempt(scope, "deleted monitors", () => reconcileTombstones(scope));
  await attempt(scope, "agents", () => sweepAgents(scope));
  await attempt(scope, "failing webhooks", () => sweepFailingWebhooks(scope));
  await attempt(scope, "mail", () => sweepMail(scope));
  await attempt(scope, "old mail", () => deleteOldMail(scope));
  await attempt(scope, "invitations", () => sweepInvitations(scope));
  await attempt(scope, "sessions", () => sweepSessions(scope));
  await attempt(scope, "subscribers", () => sweepSubscribers(scope));
  await attempt(scope, "custom domains", () => sweepDomains(scope));
  await attempt(scope, "idempotency keys", () => sweepIdempotencyKeys(scope));
  await attempt(scope, "roll-ups", () => sweepDailyAggregates(scope));
  await attempt(scope, "history", () => sweepRetention(scope));
}

/** Timers may fire a little early; what is due at this minute would wait for the next one. */
function ofMinute(scope: Scope, minuteAt: number): Scope {
  return { ...scope, now: () => Math.max(scope.now(), minuteAt) };
}

async function attempt(scope: Scope, part: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    scope.log.error("minute", error, { part });
  }
}
