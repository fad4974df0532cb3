import { capOf } from "../access/plan-caps.ts";
import type { Scope } from "../access/scope.ts";
import { TEST_EVENT } from "../contract/events.ts";
import { PLANS } from "../contract/plan.ts";
import { insertSystemAuditIf } from "../data/audit/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { insertAttempts, settleDeliveries } from "../data/deliveries/write.ts";
import type { KeptBytes } from "../data/delivery-budgets/read.ts";
import { countKept } from "../data/delivery-budgets/write.ts";
import { type Failure, isDisabledBy, type WebhookRecord } from "../data/webhooks/read.ts";
import { clearFailures, recordFailures, setSlow } from "../data/webhooks/write.ts";
import { DAY_MS } from "../lib/durations.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { newId } from "../platform/ids.ts";
import type { Attempted } from "./attempt.ts";
import { dispatchMail } from "./mail.ts";
import { notifyGivenUp, notifyWebhookDisabled, notifyWebhookRecovered } from "./webhook-owner-notices.ts";

/** An attempt keeps a body and the beginning of an answer; one parameter of a statement holds 2 MB. */
const RECORDED_AT_ONCE = 25;

/**
 * Records attempts that were made: each with the state of its delivery and the failures of its webhook, all in one
 * transaction. An attempt that cannot be recorded keeps back no other; what remains unrecorded is repeated when its claim
 * lapses.
 */
export async function recordAttempts(scope: Scope, attempts: readonly Attempted[]): Promise<void> {
  if (attempts.length === 0) return;
  try {
    await record(scope, attempts);
  } catch (error) {
    // Recording is harmless when repeated, sending is not: more tries cost less than a second request.
    scope.log.warn("attempts recorded again", { count: attempts.length, cause: String(error) });
    await recordOneByOne(scope, attempts);
  }
}

async function recordOneByOne(scope: Scope, attempts: readonly Attempted[]): Promise<void> {
  const faults: unknown[] = [];
  for (const attempt of attempts) {
    await record(scope, [attempt]).catch((error: unknown) => faults.push(error));
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} attempts could not be recorded`);
}

async function record(scope: Scope, attempts: readonly Attempted[]): Promise<void> {
  const last = failuresOf(scope, attempts).filter(({ webhook, failure }) => isLast(scope, webhook, failure));
  const notices = joinPublications([
    ...(await Promise.all(last.map((each) => noticesOf(scope, each)))),
    ...(await Promise.all(recovered(attempts).map((webhook) => notifyWebhookRecovered(scope, webhook)))),
  ]);
  const givenUp = listGivenUp(attempts, last).map((each) => notifyGivenUp(scope, each));
  await runBatch(scope.db, statementsOf(scope, attempts, [...notices.statements, ...givenUp]));
  for (const { delivery, webhook, outcome, record } of attempts) {
    scope.log.info("delivery", {
      delivery_id: delivery.id,
      webhook_id: webhook.id,
      attempt: delivery.attempt,
      state: outcome.state,
      status: record.response_status,
      ms: record.duration_ms,
    });
  }
  for (const { webhook, failure } of last) {
    scope.log.warn("webhook disabled", { webhook_id: webhook.id, reason: failure.disabled_reason });
  }
  await notices.wake();
  await dispatchMail(
    scope,
    attempts.flatMap(({ mail }) => mail ?? []),
  );
}

function statementsOf(scope: Scope, attempts: readonly Attempted[], notices: readonly Statement[]): Statement[] {
  const { db, now } = scope;
  const records = attempts.flatMap(({ outcome, record }) => (outcome.state === "skipped" ? [] : [record]));
  const settled = attempts.map(({ delivery, outcome }) => ({
    id: delivery.id,
    attempt: delivery.attempt,
    state: outcome.state,
    next_attempt_at: outcome.next_attempt_at,
  }));
  const failures = failuresOf(scope, attempts).map(({ failure }) => failure);
  const delivered = webhooksOf(attempts, ({ outcome }) => outcome.state === "delivered");
  const slow = webhooksOf(attempts, ({ speed, webhook }) => speed === "slow" && webhook.slow_since === null);
  const quick = webhooksOf(attempts, ({ speed, webhook }) => speed === "quick" && webhook.slow_since !== null);
  const budget = keptBytesOf(scope);
  return [
    ...pagesOf(records).map((page) => insertAttempts(db, page, budget)),
    ...(budget && records.length > 0 ? [countKept(db, keptByOwner(attempts), budget)] : []),
    ...attempts.flatMap(({ statements }) => statements),
    settleDeliveries(db, settled, now),
    // Before the failure is recorded: after that the row no longer shows which failure disabled the webhook.
    ...notices,
    ...(failures.length > 0 ? [recordFailures(db, failures)] : []),
    ...(delivered.length > 0 ? [clearFailures(db, delivered)] : []),
    ...(slow.length > 0 ? [setSlow(db, slow, now)] : []),
    ...(quick.length > 0 ? [setSlow(db, quick, null)] : []),
  ];
}

/** null where no plan is limited. */
function keptBytesOf({ settings, now }: Scope): KeptBytes | null {
  const limits = PLANS.map((plan) => [plan, capOf(settings, "delivery_bytes", plan)]);
  if (limits.every(([, limit]) => limit === null)) return null;
  // Made from the whole list.
  const max = Object.fromEntries(limits) as KeptBytes["max"];
  return { day_at: Math.floor(now / DAY_MS) * DAY_MS, max, default_plan: settings.DEFAULT_PLAN };
}

function keptByOwner(attempts: readonly Attempted[]): { owner_id: string; bytes: number }[] {
  const byOwner = Map.groupBy(attempts, ({ webhook }) => webhook.owner_id);
  const bytesOf = ({ record: { request, response_body } }: Attempted) =>
    JSON.stringify(request).length + (response_body?.length ?? 0);
  return [...byOwner].map(([owner_id, own]) => ({
    owner_id,
    bytes: own.reduce((sum, attempt) => sum + bytesOf(attempt), 0),
  }));
}

function webhooksOf(attempts: readonly Attempted[], isMeant: (attempt: Attempted) => boolean): string[] {
  return [...new Set(attempts.filter(isMeant).map(({ webhook }) => webhook.id))];
}

function pagesOf<Each>(all: readonly Each[]): Each[][] {
  const pages = Math.ceil(all.length / RECORDED_AT_ONCE);
  return Array.from({ length: pages }, (_, n) => all.slice(n * RECORDED_AT_ONCE, (n + 1) * RECORDED_AT_ONCE));
}

type FailedAttempt = Attempted & { failure: Failure };

/** One failed attempt of each webhook: that which ends it at once, where there is one. */
function failuresOf(scope: Scope, attempts: readonly Attempted[]): FailedAttempt[] {
  const failed = attempts.filter(({ outcome }) => outcome.state !== "delivered" && outcome.state !== "skipped");
  const byWebhook = Map.groupBy(failed, ({ webhook }) => webhook.id);
  return [...byWebhook.values()].flatMap((group) => {
    const attempt = group.find(({ outcome }) => outcome.is_gone) ?? group[0];
    return attempt ? [{ ...attempt, failure: failureOf(scope, attempt) }] : [];
  });
}

function failureOf({ settings, now }: Scope, { webhook, outcome }: Attempted): Failure {
  return outcome.is_gone
    ? { webhook_id: webhook.id, now, disable_if_failing_since: now, disabled_reason: "the endpoint answered 410 Gone" }
    : {
        webhook_id: webhook.id,
        now,
        disable_if_failing_since: now - settings.WEBHOOK_DISABLE_AFTER_MS,
        disabled_reason: "every delivery failed for too long",
      };
}

/** As the webhook was read; the statements evaluate it again, because the row may have changed meanwhile. */
function isLast({ now }: Scope, { failing_since }: WebhookRecord, failure: Failure): boolean {
  return (failing_since ?? now) <= failure.disable_if_failing_since;
}

/** Belong before the statement that may disable the webhook. */
async function noticesOf(scope: Scope, { webhook, outcome, failure }: FailedAttempt): Promise<Publication> {
  const audited = { ...NOTHING, statements: [disabledAudit(scope, webhook, failure)] };
  return joinPublications([await notifyWebhookDisabled(scope, webhook, { ...outcome, failure }), audited]);
}

/** One of each webhook whose owner learns nothing by its end; people who test a channel see what comes of it. */
function listGivenUp(attempts: readonly Attempted[], last: readonly FailedAttempt[]): Attempted[] {
  const ended = new Set(last.map(({ webhook }) => webhook.id));
  const isGivenUp = ({ outcome, webhook, delivery }: Attempted) =>
    (outcome.state === "failed" || outcome.state === "expired") &&
    delivery.event_name !== TEST_EVENT &&
    !ended.has(webhook.id);
  return [...new Map(attempts.filter(isGivenUp).map((each) => [each.webhook.id, each])).values()];
}

/** Whose owner was warned of failures that end now. */
function recovered(attempts: readonly Attempted[]): WebhookRecord[] {
  const delivered = attempts.filter(
    ({ outcome, webhook }) => outcome.state === "delivered" && webhook.warned_at !== null,
  );
  return [...new Map(delivered.map(({ webhook }) => [webhook.id, webhook])).values()];
}

function disabledAudit({ db, now }: Scope, webhook: WebhookRecord, failure: Failure): Statement {
  const entry = {
    id: newId(),
    owner_id: webhook.owner_id,
    event_type: "webhook.disabled",
    monitor_id: null,
    status_page_id: webhook.status_page_id,
    target_type: "webhook",
    target_id: webhook.id,
    summary: `disabled webhook "${webhook.name}"`,
    data: { reason: failure.disabled_reason },
    created_at: now,
  };
  return insertSystemAuditIf(db, entry, isDisabledBy(failure));
}
