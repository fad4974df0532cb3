import { jobScope, openScope, type Scope } from "../access/scope.ts";
import { markAgentMonitorsStale, sweepAgents } from "../checks/agent-sweep.ts";
import { packGroups } from "../checks/packing.ts";
import { planMinute } from "../checks/planner.ts";
import {
  emptyObjects,
  reconcileTombstones,
  reconcileUnscheduledMonitors,
  reconcileUnsyncedMonitors,
  syncMonitors,
  watchEpoch,
} from "../checks/reconcile.ts";
import { enqueueStaleGroups, markStaleGroups, sweepLostRetries } from "../checks/stale.ts";
import {
  type ItemPart,
  MINUTE_BUNDLE_NAMES,
  MINUTE_BUNDLES,
  MINUTE_PARTS,
  type MinuteBundle,
  MinuteMessage,
  type MinutePart,
} from "../contract/messages.ts";
import type { QueueMarker } from "../contract/queues.ts";
import { sweepAuditStreams } from "../delivery/audit-stream.ts";
import { sweepThrottled } from "../delivery/budget.ts";
import { sweepContactMessages } from "../delivery/contact-messages.ts";
import { sweepHeldAlerts } from "../delivery/held-alerts.ts";
import { deleteOldMail, sweepMail } from "../delivery/mail.ts";
import { sweepReminders } from "../delivery/reminders.ts";
import { sweepStatusPosts } from "../delivery/status-posts.ts";
import { sweepSubscribers } from "../delivery/subscriber-messages.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { sweepFailingWebhooks } from "../delivery/webhook-owner-notices.ts";
import { sweepAlarms } from "../events/alarms.ts";
import { sweepEvents } from "../events/consume.ts";
import { sweepEscalations } from "../events/escalation-runner.ts";
import { sendDueNotifications, sweepNotifications } from "../events/escalation-sender.ts";
import { notifyExpiries, sweepExpiries } from "../events/expiries.ts";
import { sweepFlapping, tickFlappingMonitors } from "../events/flapping.ts";
import { advanceMaintenance, sweepMaintenance } from "../events/maintenance.ts";
import { reviewSchedules, sweepSchedules } from "../events/on-call-review.ts";
import { sweepRuleIncidents } from "../events/rule-incident-ends.ts";
import { endSuppressions, sweepSuppressions } from "../events/suppression.ts";
import { sweepDeletedAccounts } from "../features/account/service.ts";
import { sweepDomains } from "../features/custom-domains/service.ts";
import { askProviders, sweepProviderSessions } from "../features/sign-in/service.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { now } from "../platform/clock.ts";
import { countQueries } from "../platform/counted-queries.ts";
import type { Env } from "../platform/env.ts";
import { countUnits } from "../platform/usage.ts";
import { sweepDailyAggregates } from "../sweeps/daily-aggregates.ts";
import { sendHeartbeat } from "../sweeps/dead-man.ts";
import { sweepExpired } from "../sweeps/expired.ts";
import { sendMarkers } from "../sweeps/queue-health.ts";
import { sweepRetention } from "../sweeps/retention.ts";
import { sweepRootKeys } from "../sweeps/root-keys.ts";
import { handleMessages } from "./messages.ts";

/**
 * The minute's work in parts. Each part runs in an invocation of its own, started by a message, so that one part's fault,
 * slowness or use of the 1,000 queries of an invocation never costs another part its turn. Those of a bundle share one until
 * a part of it finds work: what is left then gets messages of its own. What a part finds is processed
 * by set-based statements, or else in portions (`PORTIONS`), which again are messages.
 */
export const PARTS: Record<MinutePart, (scope: Scope, minuteAt: number) => Promise<void>> = {
  deliveries: sweepDeliveries,
  "throttled deliveries": sweepThrottled,
  maintenance: sweepMaintenance,
  suppressions: sweepSuppressions,
  events: sweepEvents,
  "held alerts": sweepHeldAlerts,
  expiries: sweepExpiries,
  "flapping monitors": sweepFlapping,
  "rule incidents": sweepRuleIncidents,
  reminders: sweepReminders,
  escalations: sweepEscalations,
  "on-call notifications": sweepNotifications,
  "on-call schedules": sweepSchedules,
  "status posts": sweepStatusPosts,
  "contact messages": sweepContactMessages,
  "unsynced monitors": reconcileUnsyncedMonitors,
  "lost retries": sweepLostRetries,
  "unscheduled monitors": reconcileUnscheduledMonitors,
  tombstones: reconcileTombstones,
  "sparse groups": packGroups,
  agents: sweepAgents,
  "failing webhooks": sweepFailingWebhooks,
  mail: sweepMail,
  "old mail": deleteOldMail,
  "expired credentials": sweepExpired,
  "deleted accounts": sweepDeletedAccounts,
  subscribers: sweepSubscribers,
  "custom domains": sweepDomains,
  "daily aggregates": sweepDailyAggregates,
  retention: sweepRetention,
  alarms: sweepAlarms,
  heartbeat: sendHeartbeat,
  "root keys": sweepRootKeys,
  "provider sessions": sweepProviderSessions,
  "audit streams": sweepAuditStreams,
};

const PORTIONS: Record<ItemPart, (scope: Scope, items: readonly string[]) => Promise<void>> = {
  "maintenance windows": advanceMaintenance,
  "ended suppressions": endSuppressions,
  expiries: notifyExpiries,
  "due flapping monitors": tickFlappingMonitors,
  "due on-call notifications": sendDueNotifications,
  "due on-call schedules": reviewSchedules,
  "stale groups": markStaleGroups,
  "stale agent monitors": markAgentMonitorsStale,
  "sync monitors": syncMonitors,
  "empty objects": emptyObjects,
  "due provider sessions": askProviders,
};

/** Of a bundle that finds nothing. A part may take 900 queries, so a bundle that has taken more begins no other one. */
const BUNDLE_QUERIES_MAX = 60;
const BUNDLE_TIME_MS = 5_000;

/** Every message of a minute, with or without work. */
const SENT_PARTS: readonly (MinutePart | MinuteBundle)[] = [
  ...MINUTE_PARTS.filter(
    (part) => !Object.values(MINUTE_BUNDLES).some((parts: readonly string[]) => parts.includes(part)),
  ),
  ...MINUTE_BUNDLE_NAMES,
];

/**
 * On the Workers Free plan the tick runs the parts itself, because a message for each would take ten times the operations of
 * a day, and only those whose turn it is, because an invocation has 50 queries. Parts that are not named run every minute.
 */
const FREE_EVERY_MINUTES: Partial<Record<MinutePart, number>> = {
  "throttled deliveries": 3,
  suppressions: 3,
  expiries: 15,
  "rule incidents": 3,
  reminders: 5,
  "on-call schedules": 5,
  "status posts": 3,
  "contact messages": 3,
  "unsynced monitors": 3,
  tombstones: 15,
  "sparse groups": 15,
  "failing webhooks": 15,
  "old mail": 60,
  "expired credentials": 60,
  "deleted accounts": 60,
  "custom domains": 15,
  "daily aggregates": 15,
  retention: 15,
  alarms: 5,
  "root keys": 60,
  "provider sessions": 5,
  "audit streams": 3,
};
/** Of a tick, before another part begins; the one that is running may take ten more. */
const FREE_QUERIES_MAX = 38;

/** Turns are spread, so that parts of one rhythm do not meet in one minute. */
function partsOnFreePlan(minuteAt: number): MinutePart[] {
  const minute = minuteAt / MINUTE_MS;
  return MINUTE_PARTS.filter((part, n) => (minute + n) % (FREE_EVERY_MINUTES[part] ?? 1) === 0);
}

/** The next ticks have sent a part that waited this long again. */
const PART_EXPIRES_MS = 2 * MINUTE_MS;

/** The cron's tick: plans the checks of this minute here, where no queue can delay it, and sends every other part. */
export async function runMinute(controller: ScheduledController, env: Env): Promise<void> {
  const minuteAt = Math.floor(controller.scheduledTime / MINUTE_MS) * MINUTE_MS;
  const scope = minuteScope(env, minuteAt);
  const counted = countQueries(env.DB);
  const planning = scope.settings.PLAN === "free" ? withDatabase(scope, counted.database) : scope;
  let stale: string[] = [];
  await attempt(scope, "plan", async () => {
    stale = await planMinute(planning, minuteAt);
  });
  await attempt(scope, "epoch", () => watchEpoch({ ...scope, env }));
  if (scope.settings.PLAN === "free") {
    await runParts(scope, { parts: partsOnFreePlan(minuteAt), minuteAt, counted, queriesMax: FREE_QUERIES_MAX });
  } else {
    await attempt(scope, "send", () =>
      scope.env.MINUTE.sendBatch(SENT_PARTS.map((part) => ({ body: { part, minute_at: minuteAt } }))),
    );
  }
  await attempt(scope, "markers", () => sendMarkers({ ...scope, env }, minuteAt));
  await attempt(scope, "stale groups", () => enqueueStaleGroups(scope, stale));
}

/** One part a message. A part that fails is logged and runs again with the next minute: a retry would only double it. */
export async function handleMinuteParts(batch: MessageBatch, env: Env): Promise<void> {
  await handleMessages(jobScope(env, "minute"), batch, MinuteMessage, async (message) => {
    const scope = minuteScope(env, message.minute_at);
    if (scope.now - message.minute_at <= PART_EXPIRES_MS) await runPart(scope, message);
  });
}

/**
 * Timers may fire a little early; what is due at this minute would wait for the next one. What the queue refuses is
 * processed by the sender: late parts in one invocation are better than none.
 */
function minuteScope(env: Env, minuteAt: number): Scope {
  const sendBatch = async (messages: Iterable<{ body: MinuteMessage | QueueMarker }>) => {
    const batch = [...messages];
    try {
      await env.MINUTE.sendBatch(batch);
    } catch (error) {
      scope.log.error("minute", error, { part: "send" });
      for (const { body } of batch) if ("part" in body) await runPart(scope, body);
    }
  };
  const scope: Scope = {
    ...jobScope(env, "minute", Math.max(now(), minuteAt)),
    env: { ...env, MINUTE: { sendBatch } },
  };
  return scope;
}

async function runPart(scope: Scope, message: MinuteMessage): Promise<void> {
  if (message.items === undefined && isBundle(message.part)) {
    return runBundle(scope, MINUTE_BUNDLES[message.part], message.minute_at);
  }
  await attempt(scope, message.part, () =>
    message.items === undefined
      ? PARTS[message.part as MinutePart](scope, message.minute_at)
      : PORTIONS[message.part](scope, message.items),
  );
}

const isBundle = (part: string): part is MinuteBundle => part in MINUTE_BUNDLES;

function runBundle(scope: Scope, parts: readonly MinutePart[], minuteAt: number): Promise<void> {
  const counted = countQueries(scope.env.DB);
  return runParts(scope, { parts, minuteAt, counted, queriesMax: BUNDLE_QUERIES_MAX });
}

interface Bundle {
  parts: readonly MinutePart[];
  minuteAt: number;
  counted: ReturnType<typeof countQueries>;
  queriesMax: number;
}

/** A part that throws costs the others nothing; one that finds much or takes long has the others started apart. */
async function runParts(scope: Scope, { parts, minuteAt, counted, queriesMax }: Bundle): Promise<void> {
  const within = withDatabase(scope, counted.database);
  const begun = now();
  for (const [n, part] of parts.entries()) {
    if (counted.queries() > queriesMax || now() - begun > BUNDLE_TIME_MS) {
      const rest = parts.slice(n).map((left) => ({ body: { part: left, minute_at: minuteAt } }));
      return attempt(scope, "send", () => scope.env.MINUTE.sendBatch(rest));
    }
    await attempt(within, part, () => PARTS[part](within, minuteAt));
  }
}

function withDatabase(scope: Scope, database: D1Database): Scope {
  return openScope({ ...scope, env: { ...scope.env, DB: database } });
}

async function attempt(scope: Scope, part: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    countUnits({ failed_parts: 1 });
    scope.log.error("minute", error, { part });
  }
}
