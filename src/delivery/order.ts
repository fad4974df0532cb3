import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { listLastChanges, listUnderWay } from "../data/deliveries/earlier.ts";
import { unclaimDeliveries } from "../data/deliveries/write.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { changeEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";
import type { Claimed } from "./prepare.ts";
import { wakeDeliveriesLater } from "./wake.ts";

/**
 * A receiver hears of the changes of one monitor in their order: a later one waits while the attempt at an earlier one is
 * under way, also one whose sender died. It does not wait for what is to be retried.
 */

/** How long a delivery waits before it looks again for the earlier one. */
const WAIT_MS = 5 * SECOND_MS;

export interface Turn {
  /** Of the webhook and the monitor. */
  key: string;
  seq: number;
  /** Deliveries of earlier changes. */
  earlier_ids: readonly string[];
}

/** The turns of those that are about changes of a monitor, by the ids of the deliveries. */
export type Turns = ReadonlyMap<string, Turn>;

/** Those of these deliveries that no earlier one is under way for. The others are given back, and woken later. */
export async function takeTurns<Each extends Claimed>(
  scope: Scope,
  claimed: readonly Each[],
): Promise<{ ready: readonly Each[]; turns: Turns }> {
  const turns = await findTurns(scope, claimed);
  const own = new Set(claimed.map(({ delivery }) => delivery.id));
  const others = [...turns.values()].flatMap(({ earlier_ids }) => earlier_ids).filter((id) => !own.has(id));
  const underWay = others.length === 0 ? [] : await listUnderWay(scope.db, others, scope.now);
  if (underWay.length === 0) return { ready: claimed, turns };
  const isWaiting = ({ delivery }: Each) =>
    turns.get(delivery.id)?.earlier_ids.some((id) => underWay.includes(id)) ?? false;
  const waiting = claimed.filter(isWaiting).map(({ delivery }) => delivery);
  await runBatch(scope.db, [unclaimDeliveries(scope.db, waiting)]);
  await wakeDeliveriesLater(scope, [...underWay, ...waiting.map(({ id }) => id)], WAIT_MS);
  return { ready: claimed.filter((each) => !isWaiting(each)), turns };
}

async function findTurns({ db, now }: Scope, claimed: readonly Claimed[]): Promise<Turns> {
  const monitorIds = [...new Set(claimed.flatMap(({ event }) => event.monitor_id ?? []))];
  const changes = monitorIds.length === 0 ? [] : await listLastChanges(db, monitorIds, now);
  const ofMonitors = Map.groupBy(changes, ({ monitor_id }) => monitor_id);
  return new Map(
    claimed.flatMap(({ delivery, webhook, event }) => {
      const last = (ofMonitors.get(event.monitor_id ?? "") ?? []).map(({ monitor_id, seq }) => {
        return { seq, event_id: changeEventId(monitor_id, seq) };
      });
      const own = last.find(({ event_id }) => event_id === event.id);
      if (!own) return [];
      const earlier = last.filter(({ seq }) => seq < own.seq);
      const earlier_ids = earlier.map(({ event_id }) => idFrom("delivery", event_id, webhook.id));
      return [[delivery.id, { key: `${webhook.id} ${event.monitor_id}`, seq: own.seq, earlier_ids }] as const];
    }),
  );
}

/** Chains of deliveries of which each waits for the one before it; most stand alone. */
export function chainByTurn<Each extends Claimed>(claimed: readonly Each[], turns: Turns): Each[][] {
  const seqOf = ({ delivery }: Each) => turns.get(delivery.id)?.seq ?? 0;
  const chains = Map.groupBy(claimed, ({ delivery }) => turns.get(delivery.id)?.key ?? delivery.id);
  return [...chains.values()].map((chain) => chain.toSorted((a, b) => seqOf(a) - seqOf(b)));
}
