import { sweepIdempotencyKeys } from "../access/idempotency.ts";
import { sweepInvitations } from "../access/members.ts";
import { type Deps, jobDeps } from "../access/scope.ts";
import { sweepSessions } from "../access/sessions.ts";
import { sweepAgents } from "../checks/agent-sweep.ts";
import { MINUTE_MS } from "../checks/enqueue.ts";
import { planMinute } from "../checks/planner.ts";
import { visitDeleted, visitUnchecked } from "../checks/reconcile.ts";
import { sweepChecks } from "../checks/stale.ts";
import { sweepSubscribers } from "../delivery/subscriber-messages.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { warnOwners } from "../delivery/webhook-owner-notices.ts";
import { sweepEvents } from "../events/consume.ts";
import { sweepMaintenance } from "../events/maintenance.ts";
import { sweepDomains } from "../features/custom-domains/service.ts";
import { forgetOldMail, sweepMail } from "../outbox/mail.ts";
import type { Env } from "../platform/env.ts";
import { sweepRollups } from "../sweeps/daily-aggregates.ts";
import { sweepHistory } from "../sweeps/retention.ts";

/** The clock's tick. The parts do not depend on each other: one that fails is logged and the next one runs. */
export async function runMinute(controller: ScheduledController, env: Env): Promise<void> {
  const minuteAt = Math.floor(controller.scheduledTime / MINUTE_MS) * MINUTE_MS;
  const deps = ofMinute(jobDeps(env, "minute"), minuteAt);
  await attempt(deps, "plan", () => planMinute(deps, minuteAt));
  await attempt(deps, "deliveries", () => sweepDeliveries({ ...deps, now: deps.now() }));
  await attempt(deps, "maintenance", () => sweepMaintenance(deps));
  await attempt(deps, "events", () => sweepEvents(deps));
  await attempt(deps, "checks", () => sweepChecks(deps));
  await attempt(deps, "visits", () => visitUnchecked(deps));
  await attempt(deps, "deleted monitors", () => visitDeleted(deps));
  await attempt(deps, "agents", () => sweepAgents(deps));
  await attempt(deps, "failing webhooks", () => warnOwners(deps));
  await attempt(deps, "mail", () => sweepMail(deps));
  await attempt(deps, "old mail", () => forgetOldMail(deps));
  await attempt(deps, "invitations", () => sweepInvitations(deps));
  await attempt(deps, "sessions", () => sweepSessions(deps));
  await attempt(deps, "subscribers", () => sweepSubscribers(deps));
  await attempt(deps, "custom domains", () => sweepDomains(deps));
  await attempt(deps, "idempotency keys", () => sweepIdempotencyKeys(deps));
  await attempt(deps, "roll-ups", () => sweepRollups(deps));
  await attempt(deps, "history", () => sweepHistory(deps));
}

/** Timers may fire a little early; what is due at this minute would wait for the next one. */
function ofMinute(deps: Deps, minuteAt: number): Deps {
  return { ...deps, now: () => Math.max(deps.now(), minuteAt) };
}

async function attempt(deps: Deps, part: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    deps.log.error("minute", error, { part });
  }
}
