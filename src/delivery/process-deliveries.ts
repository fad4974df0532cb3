import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { listClaimed } from "../data/deliveries/earlier.ts";
import type { AttemptRecord } from "../data/deliveries/read.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  renewClaims,
  settleDeliveries,
  unclaimDeliveries,
} from "../data/deliveries/write.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { endsWithin } from "../lib/with-deadline.ts";
import { now } from "../platform/clock.ts";
import { type Attempted, performAttempt } from "./attempt.ts";
import { claimFromBudget } from "./budget.ts";
import { chainByTurn, takeTurns } from "./order.ts";
import { leaveOvertaken } from "./overtaken.ts";
import type { Claimed } from "./prepare.ts";
import { recordAttempts } from "./record-attempts.ts";
import { wakeDeliveriesLater, wakeRetries, wakeSlowDeliveries } from "./wake.ts";

/** On top of the time-out: for reading the configuration, look-ups and recording. */
const LEASE_SLACK_MS = 5 * SECOND_MS;
/** Attempts that wait for others are longer under way than a claim holds. */
const RENEW_EVERY_MS = 5 * SECOND_MS;

/** Attempts that end within one round are recorded by one transaction. */
const ROUND_MS = 1_000;

/** When a claim lapses that is not renewed, so that an attempt whose sender died is repeated. */
export function leaseUntil({ settings, now }: Pick<Scope, "settings" | "now">): number {
  return now + leaseMs(settings);
}

const leaseMs = ({ DELIVERY_TIMEOUT_MS }: Scope["settings"]) => DELIVERY_TIMEOUT_MS + LEASE_SLACK_MS;

/** A batch of the normal lane ends after this, and what it has not finished goes on behind it. */
const BATCH_MS = 150;
/** With as many attempts under way in this isolate, batches wait for their own. */
const UNDER_WAY_MAX = 500;
let underWay = 0;

export interface Lane {
  lane: "normal" | "slow";
  /** Keeps the invocation alive for work that outlasts its batch; null: the batch waits for all of its attempts. */
  defer: ((work: Promise<unknown>) => void) | null;
}

/**
 * Attempts those of these deliveries that are due, all at once but for changes of one monitor. Any number of messages for
 * the same delivery make one attempt. A receiver that does not answer delays no other: batches of the normal lane wait for none, and once a receiver
 * has let an attempt time out, its deliveries take the slow queue, whose batches wait for all of their attempts.
 */
export async function processDeliveries(scope: Scope, ids: readonly string[], { lane, defer }: Lane): Promise<void> {
  if (ids.length === 0) return;
  const claimed = await claimDeliveries(scope.db, ids, { now: scope.now, lease_until: leaseUntil(scope) });
  const live = await settleOvertaken(scope, await settleSkipped(scope, readEvents(scope, claimed)));
  const due = lane === "normal" ? await passOnSlow(scope, live) : live;
  const { ready, turns } = await takeTurns(scope, due);
  const sendable = await claimFromBudget(scope, ready);
  const work = attemptAll(scope, chainByTurn(sendable, turns));
  await wakeClaimed(scope, ids, claimed);
  if (defer === null || underWay > UNDER_WAY_MAX) await work;
  else if (!(await endsWithin(work, BATCH_MS))) {
    await wakeDeliveriesLater(scope, idsOf(sendable), leaseMs(scope.settings));
    defer(goOnBehind(scope, work));
  }
}

const idsOf = (claimed: readonly Pick<ClaimedDelivery, "delivery">[]) => claimed.map(({ delivery }) => delivery.id);

/** A message for a delivery that another invocation has claimed comes again when that claim may have lapsed. */
async function wakeClaimed(scope: Scope, ids: readonly string[], claimed: readonly ClaimedDelivery[]): Promise<void> {
  const own = new Set(idsOf(claimed));
  const others = ids.filter((id) => !own.has(id));
  const elsewhere = others.length === 0 ? [] : await listClaimed(scope.db, others, scope.now);
  if (elsewhere.length > 0) await wakeDeliveriesLater(scope, elsewhere, leaseMs(scope.settings));
}

/** The messages are acknowledged then: another one for each follows, which repeats what is not recorded. */
async function goOnBehind({ log }: Scope, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error("attempts not recorded, sweep repeats them", error);
  }
}

/** One attempt at a delivery that the caller has claimed, recorded. */
export async function attemptOnce(scope: Scope, claimed: Claimed): Promise<AttemptRecord> {
  const attempted = await performAttempt(scope, claimed);
  await recordAttempts(scope, [attempted]);
  return attempted.record;
}

type Readable = Omit<ClaimedDelivery, "readEvent"> & { event: Claimed["event"] | undefined };
type Sendable = Readable & Claimed;

/** The claim of a delivery whose event cannot be read lapses: another release may read it. */
function readEvents(scope: Scope, claimed: readonly ClaimedDelivery[]): Readable[] {
  return claimed.flatMap(({ readEvent, ...rest }) => {
    try {
      return [{ ...rest, event: readEvent() }];
    } catch (error) {
      scope.log.error("event unreadable", error, { delivery_id: rest.delivery.id });
      return [];
    }
  });
}

async function settleSkipped(scope: Scope, claimed: readonly Readable[]): Promise<Sendable[]> {
  const isSent = (each: Readable): each is Sendable => each.webhook.is_active && each.event !== undefined;
  await skip(
    scope,
    claimed.filter((each) => !isSent(each)),
  );
  return claimed.filter(isSent);
}

/** What came too late to be true, or ends what was never sent. */
async function settleOvertaken(scope: Scope, claimed: readonly Sendable[]): Promise<Sendable[]> {
  const sent = await leaveOvertaken(scope, claimed);
  const sentIds = new Set(idsOf(sent));
  await skip(
    scope,
    claimed.filter(({ delivery }) => !sentIds.has(delivery.id)),
  );
  return sent;
}

async function skip({ db, now }: Scope, skipped: readonly Pick<Readable, "delivery">[]): Promise<void> {
  if (skipped.length === 0) return;
  const rows = skipped.map(({ delivery: { id, attempt } }) => {
    return { id, attempt, state: "skipped" as const, next_attempt_at: null };
  });
  await runBatch(db, [settleDeliveries(db, rows, now)]);
}

async function passOnSlow(scope: Scope, claimed: readonly Sendable[]): Promise<Sendable[]> {
  const slow = claimed.filter(({ webhook }) => webhook.slow_since !== null).map(({ delivery }) => delivery);
  if (slow.length > 0) {
    await runBatch(scope.db, [unclaimDeliveries(scope.db, slow)]);
    await wakeSlowDeliveries(
      scope,
      slow.map(({ id }) => id),
    );
  }
  return claimed.filter(({ webhook }) => webhook.slow_since === null);
}

/**
 * Starts all chains at once, of which one delivery follows the other. Attempts that ended are recorded round by round, each
 * round by one transaction; the claims of the others are kept.
 */
async function attemptAll(scope: Scope, chains: readonly Sendable[][]): Promise<void> {
  const ended: Attempted[] = [];
  const faults: unknown[] = [];
  const open = new Set(chains.flat());
  const fail = (error: unknown) => faults.push(error);
  const attempt = async (each: Sendable) => {
    underWay += 1;
    await performAttempt(scope, each).then((attempted) => ended.push(attempted), fail);
    open.delete(each);
    underWay -= 1;
  };
  const all = mapConcurrently(chains, chains.length, async (chain) => {
    for (const each of chain) await attempt(each);
  });
  let renewedAt = now();
  for (let isOver = false; !isOver; ) {
    isOver = await endsWithin(all, ROUND_MS);
    const round = ended.splice(0);
    await recordAttempts(scope, round).catch(fail);
    await wakeRetries(scope, round);
    if (open.size > 0 && now() - renewedAt >= RENEW_EVERY_MS) {
      renewedAt = now();
      const claims = [...open].map(({ delivery: { id, attempt } }) => ({ id, attempt }));
      await runBatch(scope.db, [renewClaims(scope.db, claims, renewedAt + leaseMs(scope.settings))]).catch(fail);
    }
  }
  if (faults.length > 0) throw faults[0];
}
